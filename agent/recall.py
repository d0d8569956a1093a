"""After the death of a worker: what the checkpoint knows of the turn and the last save of its message does not."""

from collections.abc import Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from agent.calls import key_of, mark, rounds
from agent.steps import ToolEnded
from agent.transcript import Transcript
from tools.toolset import Effect, Lang, ToolSpec


def recall(transcript: Transcript, turn: Sequence[BaseMessage], specs: Mapping[str, ToolSpec], lang: Lang) -> None:
    """Bring the transcript up to the messages of the turn; what it knows already stays as it is.

    A last message without words still ends those of a request that was made before it.
    """
    transcript.settle({message.id for message in turn if message.id})
    for message, answers in rounds(turn):
        if message.id and (message.text.strip() or message is turn[-1]):
            transcript.recall(message.id, message.text, message.response_metadata.get("finish", "stop"))
        for call in message.tool_calls:
            answer = answers.get(call["id"] or "")
            if answer is not None and mark(answer, "data") and not transcript.known(key_of(message, call["id"])):
                transcript.fold(_ended(message, call["id"] or "", answer, specs, lang))


def _ended(
    message: AIMessage, call_id: str, answer: ToolMessage, specs: Mapping[str, ToolSpec], lang: Lang
) -> ToolEnded:
    name = answer.name or ""
    spec = specs.get(name)
    ok = answer.status == "success"
    first = answer.text.strip().partition("\n")[0][:200]
    return ToolEnded(
        key=key_of(message, call_id),
        call_id=call_id,
        tool=name,
        effect=spec.effect if spec else Effect.DANGER,
        args=next(call["args"] for call in message.tool_calls if call["id"] == call_id),
        title=spec.titles[lang] if spec else name,
        ok=ok,
        summary=first,
        error=None if ok else {"code": "failed", "title": first, "detail": ""},
    )
