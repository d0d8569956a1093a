"""One step of the model inside of a turn: what it is sent, what is tried when that does not fit, what it may say."""

from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from agent.context import prune
from agent.guards import Reason
from agent.model import Ask
from agent.models.errors import ContextTooLong, EmptyReply
from agent.prompt import UNANSWERED, instructions
from agent.repair import repaired
from agent.run import RunContext
from agent.steps import Notice, Step, TokenText

Tell = Callable[[Step], None]
_CUT = (
    "This conversation is long; older parts were left out for the model.",
    "Разговор длинный, старые его части модели не показаны.",
)
_LENGTH = (
    "The answer was cut off at the output limit. Ask to go on if you need the rest.",
    "Ответ оборван на предельной длине. Попросите продолжить, если нужно остальное.",
)


async def ask_model(
    run: RunContext, messages: Sequence[BaseMessage], names: Sequence[str], spent: Reason | None, tell: Tell
) -> AIMessage:
    """The model's next message; with `spent` it can only be words. Raises `ModelError`."""
    budget = run.model.budget(run.routing.schemas(names))
    try:
        message = await _ask(run, messages, names, spent, tell, budget)
    except ContextTooLong:
        message = await _ask(run, messages, names, spent, tell, budget // 2)
    except EmptyReply:
        if spent is None:
            raise
        message = AIMessage("", response_metadata={"finish": "stop"})
    if message.response_metadata["finish"] == "length":
        tell(Notice("model_length", _LENGTH[run.lang == "ru"]))
    return message if spent is None else _words_only(message, spent, run, tell)


async def _ask(
    run: RunContext,
    messages: Sequence[BaseMessage],
    names: Sequence[str],
    spent: Reason | None,
    tell: Tell,
    budget: int,
) -> AIMessage:
    system = SystemMessage(instructions(run.lang, run.role, run.today, run.instructions, spent))
    pruned = prune([system, *repaired(messages)], budget)
    if pruned.tier:
        tell(Notice("context_cut", _CUT[run.lang == "ru"]))
    return await run.model.reply(
        Ask(
            messages=pruned.messages,
            tools=run.routing.schemas(names),
            lang=run.lang,
            tell=tell,
            stop=run.stop,
            run_end=run.run_end,
            final=spent is not None,
            cache_key=run.conversation_id,
        )
    )


def _words_only(message: AIMessage, spent: Reason, run: RunContext, tell: Tell) -> AIMessage:
    """The last message of a turn that may call nothing more: its calls are dropped, silence is put into words."""
    text = message.text.strip()
    if not text and message.response_metadata["finish"] != "canceled":
        text = UNANSWERED[spent][run.lang == "ru"]
        tell(TokenText(message.id or "ai_last", text))
    return AIMessage(text, id=message.id, response_metadata={"finish": message.response_metadata["finish"]})


def stopped() -> AIMessage:
    """The end of a turn that the person stopped before the model could speak."""
    return AIMessage("", response_metadata={"finish": "canceled"})
