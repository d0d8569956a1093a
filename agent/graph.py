"""The graph of a turn: choose tools, ask the model, run, gate or ask what it calls for, until it only speaks.

    START -> select_tools -> model -> END
                             model -> execute | gate | ask | find (one task a call) -> model

`gate` interrupts before it does anything and acts on the decision itself, so an approved call runs at once while its
siblings still wait, and no call that needs an approval has another way. `model` asks the model only when no call is
open: a call whose resource changed since it was shown (412) goes back to `gate` in a new round.
"""

import time
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send, interrupt

from agent.asking import Tell, ask_model, stopped
from agent.calls import DENIED, FIND, OpenCall, answer, open_calls, turn_of
from agent.checks import FAULT_HELPS, FAULT_TITLES, checked, open_call
from agent.guards import Limits, spent
from agent.results import ended, fenced, result_message, started
from agent.run import RunContext
from agent.steps import Notice, Offered
from agent.window import update
from router.entry import Choice
from tools.toolset import Problem, ToolResult, ToolSpec

STALE = 412
STOPPED = "Not run: the person stopped the turn."
WINDOW_BUDGETS = 2


def _merge(old: dict[str, int] | None, new: dict[str, int] | None) -> dict[str, int]:
    """Rounds by call key; None begins anew."""
    return {} if new is None else {**(old or {}), **new}


class State(TypedDict):
    """What a conversation keeps between steps: a window of whole turns, the tools of this turn, rounds of its calls."""

    messages: Annotated[list[AnyMessage], add_messages]
    offered: list[str]
    rounds: Annotated[dict[str, int], _merge]


class Task(TypedDict):
    """One call on its way to a node."""

    call: OpenCall
    round: int


Update = dict[str, Any]


def build_graph(checkpointer: BaseCheckpointSaver | None) -> CompiledStateGraph[State, RunContext, Any, Any]:
    """The compiled graph. Drive it with `context=RunContext(...)`, `durability="sync"` and `run_config`.

    Work is left while `state.tasks` is not empty. Resume by a map of interrupt ids to decisions:
    `{"kind": "approved", "approval_id"}`, `{"kind": "denied", "reason", "about"}`, `{"kind": "refused", "result"}` for
    a gate and `{"kind": "answer", "text"}` for a question; any other kind, or one for the other, counts as denied.
    """
    return _compiled().copy({"checkpointer": checkpointer})


@cache
def _compiled() -> CompiledStateGraph[State, RunContext, Any, Any]:
    """Compiling takes milliseconds, a copy with another saver does not."""
    graph = StateGraph(State, context_schema=RunContext)
    graph.add_node("select_tools", _select_tools)
    graph.add_node("model", _model)
    graph.add_node("execute", _execute, input_schema=Task)
    graph.add_node("gate", _gate, input_schema=Task)
    graph.add_node("ask", _ask, input_schema=Task)
    graph.add_node("find", _find, input_schema=Task)
    graph.add_edge(START, "select_tools")
    graph.add_edge("select_tools", "model")
    graph.add_conditional_edges("model", _route, ["model", "execute", "gate", "ask", "find", END])
    for node in ("execute", "gate", "ask", "find"):
        graph.add_edge(node, "model")
    return graph.compile()


def run_config(conversation_id: str, limits: Limits) -> dict[str, Any]:
    """LangGraph's config of a run: two steps of the graph for each of the model's, eight calls at a time."""
    return {
        "configurable": {"thread_id": conversation_id},
        "recursion_limit": 2 * limits.steps + 2 * limits.rounds + 10,
        "max_concurrency": 8,
    }


async def _select_tools(state: State, runtime: Runtime[RunContext]) -> Update:
    run = runtime.context
    offer = await run.routing.offer(state["messages"], run.role)
    runtime.stream_writer(Offered([_choice(choice) for choice in offer.choices]))
    if offer.notice:
        runtime.stream_writer(Notice("router", offer.notice))
    window = update(state["messages"], run.limits.window_turns, WINDOW_BUDGETS * run.limits.context)
    return {"messages": window, "offered": offer.tools, "rounds": None}


async def _model(state: State, runtime: Runtime[RunContext]) -> Update:
    run, messages = runtime.context, state["messages"]
    if open_calls(messages):
        return {}
    if run.stop.is_set():
        return {"messages": [stopped()]}
    turn = turn_of(messages)
    names = run.routing.bound(state["offered"], turn, run.role)
    await run.failpoints.reach("K03")
    message = await ask_model(run, messages, names, spent(turn, run.limits), runtime.stream_writer)
    await run.failpoints.reach("K04")
    message, faults = checked(message, turn, run, names)
    for fault in faults:
        _tell_fault(run, message, fault, runtime.stream_writer)
    return {"messages": [message, *faults]}


def _route(state: State) -> str | list[Send]:
    """To the nodes of the open calls, else to the model after faults only, else to the end."""
    messages = state["messages"]
    rounds = state.get("rounds") or {}
    sends = [Send(call["route"], Task(call=call, round=rounds.get(call["key"], 1))) for call in open_calls(messages)]
    return sends or ("model" if isinstance(messages[-1], ToolMessage) else END)


async def _execute(state: Task, runtime: Runtime[RunContext]) -> Update:
    """A call that needs no approval."""
    run, call = runtime.context, state["call"]
    if run.stop.is_set():
        return _close(call, STOPPED)
    spec = run.toolset.specs.get(call["name"])
    if spec is None or run.asks(spec):
        return _close(call, "Not run: this call needs the person's approval. Make it again.")
    result = await _timed(run, call, runtime.stream_writer, None)
    return {"messages": [result_message(call, result, run.limits.result_chars)]}


async def _gate(state: Task, runtime: Runtime[RunContext]) -> Update:
    """A call that waits for the person; nothing may come before the interrupt, which runs again on resume."""
    call, number = state["call"], state["round"]
    shown = {key: call[key] for key in ("key", "call_id", "args")}
    decision = _decision(interrupt({"kind": "approval", "tool": call["name"], "round": number, **shown}))
    run, tell = runtime.context, runtime.stream_writer
    if decision["kind"] == "refused":
        result = ToolResult.model_validate(decision["result"])
        tell(ended(call, run.toolset.specs.get(call["name"]), run.lang, result))
        return {"messages": [result_message(call, result, run.limits.result_chars)]}
    if decision["kind"] != "approved":
        return _close(call, _denial(decision.get("reason"), decision.get("about")), {"outcome": DENIED})
    if run.stop.is_set():
        return _close(call, STOPPED)
    result = await _timed(run, call, tell, str(decision["approval_id"]))
    if result.status == STALE and number < run.limits.rounds:
        return {"rounds": {call["key"]: number + 1}}
    return {"messages": [result_message(call, result, run.limits.result_chars)]}


async def _ask(state: Task, runtime: Runtime[RunContext]) -> Update:
    """A question to the person."""
    call = state["call"]
    args = call["args"]
    question = {"question": args["question"], "choices": args.get("choices") or [], "free": args.get("free", True)}
    decision = _decision(interrupt({"kind": "question", "key": call["key"], "call_id": call["call_id"], **question}))
    if decision["kind"] != "answer":
        return _close(call, f"The person did not answer. {decision.get('reason') or ''}".strip(), {"outcome": DENIED})
    text = f"The person answered: {decision['text']}"
    return {"messages": [answer(call["key"], call["call_id"], call["name"], text, artifact={"outcome": "answered"})]}


async def _find(state: Task, runtime: Runtime[RunContext]) -> Update:
    """What the catalogue itself answers: more tools for this turn, or what the person may do here."""
    run, call = runtime.context, state["call"]
    beyond: list[ToolSpec] = []
    if call["name"] == FIND:
        found, beyond = await run.routing.find(call["args"]["description"], run.role)
        heading = "These tools can be called now:" if found else "No tool fits. Say that this cannot be done here."
    else:
        found = run.routing.capabilities(run.role, run.lang, call["args"].get("topic"))
        heading = "What the person may do here:"
    names = [spec.name for spec in found] if call["name"] == FIND else []
    lines = [heading, *(f"- {spec.name} ({spec.effect}): {spec.descriptions[run.lang]}" for spec in found)]
    lines += _beyond(beyond, run)
    result = ToolResult(ok=True, text="\n".join(lines), summary=str(len(found)), data=_table(found, run))
    runtime.stream_writer(ended(call, run.toolset.specs.get(call["name"]), run.lang, result))
    told = answer(call["key"], call["call_id"], call["name"], result.text, artifact={"offered": names})
    return {"messages": [told]}


async def _timed(run: RunContext, call: OpenCall, tell: Tell, approval_id: str | None) -> ToolResult:
    """Run a call and tell that it began, how it ended and how long it took."""
    spec = run.toolset.specs[call["name"]]
    tell(started(call, spec, run.lang))
    began = time.monotonic()
    name, args, made = call["name"], call["args"], run.call(call["key"])
    if approval_id is None:
        result = await run.toolset.call(name, args, made)
    else:
        result = await run.toolset.call_approved(approval_id, name, args, made)
    tell(ended(call, spec, run.lang, result, duration=time.monotonic() - began, approval_id=approval_id))
    return result


def _decision(value: Any) -> dict[str, Any]:
    """The resume value if it is one; anything else decides nothing and counts as a denial."""
    return value if isinstance(value, dict) and isinstance(value.get("kind"), str) else {"kind": "denied"}


def _beyond(specs: list[ToolSpec], run: RunContext) -> list[str]:
    """What exists but is not for this person, so that the model can say so instead of guessing."""
    if not specs:
        return []
    told = f"The person's role, {run.role}, does not include these; say so plainly, and which role they need:"
    return [told, *(f"- {spec.name} needs the role {spec.min_role}: {spec.descriptions[run.lang]}" for spec in specs)]


def _denial(reason: str | None, about: str | None) -> str:
    """The denial for the model; the name of the thing is data of the backend and fenced like a result."""
    said = f"Reason: {reason}\n" if reason else ""
    named = f"The call was about {fenced(about)}\n" if about else ""
    return f"The person denied this call; nothing ran.\n{said}{named}Do not repeat it."


def _close(call: OpenCall, text: str, artifact: Mapping[str, Any] | None = None) -> Update:
    return {"messages": [answer(call["key"], call["call_id"], call["name"], text, ok=False, artifact=artifact)]}


def _tell_fault(run: RunContext, message: AIMessage, fault: ToolMessage, tell: Tell) -> None:
    call, code = open_call(message, fault), fault.artifact["fault"]
    title = FAULT_TITLES[code][run.lang == "ru"]
    problem = Problem(code=code, title=title, detail=FAULT_HELPS[code][run.lang == "ru"])
    result = ToolResult(ok=False, text=fault.text, summary=title, problem=problem)
    tell(ended(call, run.toolset.specs.get(call["name"]), run.lang, result))


def _table(specs: list[ToolSpec], run: RunContext) -> dict[str, Any]:
    """The card's table of tools."""
    heads = {"en": ["Tool", "What it does"], "ru": ["Инструмент", "Что делает"]}
    rows = [[spec.titles[run.lang], spec.descriptions[run.lang]] for spec in specs]
    return {"columns": heads[run.lang], "rows": rows, "total": len(rows)}


def _choice(choice: Choice) -> dict[str, Any]:
    return {"tool": choice.tool, "tier": choice.tier, "score": round(choice.score, 3), "words": list(choice.words)}
