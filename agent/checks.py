"""Which calls of a model's message may go on and by which way; the others are answered at once, and nothing runs."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from agent.calls import ASK, DENIED, FIND, SHOW, OpenCall, answer, fingerprint, key_of, made, mark
from agent.guards import REPEATS
from agent.models.words import whole_text
from agent.run import RunContext
from tools.toolset import ArgumentError, Effect

EXECUTE, GATE, ASKING, FINDING = "execute", "gate", "ask", "find"
FAULT_TITLES: dict[str, tuple[str, str]] = {
    "bad_json": ("The call did not arrive whole", "Вызов пришёл не целиком"),
    "bad_text": ("The call holds broken characters", "В вызове повреждённые символы"),
    "bad_arguments": ("The arguments do not fit", "Аргументы не подходят"),
    "unknown_tool": ("There is no such tool", "Такого инструмента нет"),
    "loop": ("The same call again", "Тот же вызов ещё раз"),
    "denied_before": ("Already denied", "Уже отклонено"),
    "too_many": ("Too many requests at once", "Слишком много запросов сразу"),
}
FAULT_HELPS: dict[str, tuple[str, str]] = {
    "bad_json": ("Nothing ran. The model was asked to make the call again.",
                 "Ничего не выполнено. Модели предложено повторить вызов."),
    "bad_text": ("Nothing ran. The model was asked for plain text.",
                 "Ничего не выполнено. У модели запрошен обычный текст."),
    "bad_arguments": ("Nothing ran. The model was told what does not fit.",
                      "Ничего не выполнено. Модели сказано, что именно не подходит."),
    "unknown_tool": ("Nothing ran. The model was told which tools it has.",
                     "Ничего не выполнено. Модели перечислено, какие инструменты у неё есть."),
    "loop": ("It was not run once more; its result is above.",
             "Ещё раз не выполнялось, результат есть выше."),
    "denied_before": ("This exact call was denied in this turn, so it is not asked again.",
                      "Этот вызов уже отклонён в этом ответе, второй раз о нём не спрашивают."),
    "too_many": ("This one did not run. The model may go on when the others are done.",
                 "Этот вызов не выполнен. Модель сможет продолжить после остальных."),
}  # fmt: skip


class _FaultError(Exception):
    """The call must not run; the text tells the model why and what to do."""

    def __init__(self, fault: str, text: str):
        super().__init__(text)
        self.fault = fault


def checked(
    message: AIMessage, turn: Sequence[BaseMessage], run: RunContext, bound: Sequence[str]
) -> tuple[AIMessage, list[ToolMessage]]:
    """The message with validated arguments and a route for each good call, and the answers to the bad ones.

    The returned message holds every call as a valid one, so that the history stays acceptable to any provider.
    """
    checks = _Checks(turn, run, bound)
    routes: dict[str, str] = {}
    calls, answers = [], []
    for call in message.tool_calls:
        try:
            args, route = checks.route(call["name"], call["args"])
            routes[call["id"] or ""] = route
            calls.append({**call, "args": args})
        except _FaultError as fault:
            calls.append({**call, "args": _storable(call["args"])})
            answers.append(_answer(message, call["id"], call["name"], fault))
    for bad in message.invalid_tool_calls:
        calls.append({"name": bad["name"] or "unknown", "args": {}, "id": bad["id"], "type": "tool_call"})
        fault = _FaultError("bad_json", f"Nothing ran: {bad['error']}. Make the call again with one whole JSON object.")
        answers.append(_answer(message, bad["id"], bad["name"] or "unknown", fault))
    kept = {**message.additional_kwargs, **({"routes": routes} if routes else {})}
    update = {"tool_calls": calls, "invalid_tool_calls": [], "additional_kwargs": kept}
    return message.model_copy(update=update), answers


class _Checks:
    """The checks of one message's calls, in order; earlier calls of the message count."""

    def __init__(self, turn: Sequence[BaseMessage], run: RunContext, bound: Sequence[str]):
        self._run = run
        self._bound = set(bound)
        self._times: Counter[str] = Counter()
        self._denied: set[str] = set()
        for name, print_, result in made(turn):
            if self._changes(name) and result is not None and result.status == "success":
                self._forget_reads()
            self._times[print_] += 1
            if mark(result, "outcome") == DENIED:
                self._denied.add(print_)
        self._calls = 0
        self._gates = 0
        self._questions = 0

    def _changes(self, name: str) -> bool:
        spec = self._run.toolset.specs.get(name)
        return spec is not None and spec.effect is not Effect.READ

    def _forget_reads(self) -> None:
        """After a change the same lookup may well say something new."""
        for print_ in [p for p in self._times if not self._changes(p.partition(" ")[0])]:
            del self._times[print_]

    def route(self, name: str, args: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """(validated arguments, node); raises `_FaultError`."""
        self._calls += 1
        if self._calls > self._run.limits.calls:
            raise _FaultError("too_many", f"Not run: at most {self._run.limits.calls} calls fit in one message.")
        if name not in self._bound:
            names = ", ".join(sorted(self._bound))
            raise _FaultError("unknown_tool", f"There is no tool {name!r} here. Use one of: {names}.")
        args = self._validated(name, args)
        self._refuse_repeats(name, args)
        return args, self._way(name)

    def _validated(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        if _storable(args) != args:
            raise _FaultError("bad_text", "Nothing ran: the arguments hold NUL or half characters. Send plain text.")
        try:
            return self._run.toolset.validate(name, args)
        except ArgumentError as error:
            told = json.dumps(_short(error.errors), ensure_ascii=False)
            raise _FaultError("bad_arguments", f"Nothing ran: the arguments do not fit the schema: {told}") from None

    def _refuse_repeats(self, name: str, args: dict[str, Any]) -> None:
        print_ = fingerprint(name, args)
        self._times[print_] += 1
        if print_ in self._denied:
            raise _FaultError(
                "denied_before", "Not run: the person denied this exact call in this turn. Accept that decision."
            )
        if self._times[print_] >= REPEATS:
            raise _FaultError("loop", f"Not run: this is the {REPEATS}rd identical call; its result is above.")

    def _way(self, name: str) -> str:
        if name == ASK:
            self._questions += 1
            if self._questions > 1:
                raise _FaultError("too_many", "Not asked: ask one question at a time.")
            return ASKING
        if name in {SHOW, FIND}:
            return FINDING
        if not self._run.asks(self._run.toolset.specs[name]):
            return EXECUTE
        self._gates += 1
        limit = self._run.limits.pending
        if self._gates > limit:
            raise _FaultError(
                "too_many",
                f"Not asked: at most {limit} calls may wait for the person at once. Go on when these are decided.",
            )
        return GATE


def open_call(message: AIMessage, result: ToolMessage) -> OpenCall:
    """The call that an answer belongs to, for telling of it."""
    call = next(call for call in message.tool_calls if call["id"] == result.tool_call_id)
    key = key_of(message, result.tool_call_id)
    return OpenCall(key=key, call_id=result.tool_call_id, name=call["name"], args=call["args"], route="")


def _answer(message: AIMessage, call_id: str | None, name: str, fault: _FaultError) -> ToolMessage:
    key = key_of(message, call_id)
    return answer(key, call_id or "", name, str(fault), ok=False, artifact={"fault": fault.fault})


def _short(errors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"at": list(e.get("loc", ())), "problem": str(e.get("msg", ""))[:300]} for e in errors[:8]]


def _storable(value: Any) -> Any:
    """The value with its texts as a database can hold them."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_text(str(key)): _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value
