"""What a tab shows of a message: its words, the answer as it comes, then all that is stored; refusals; Stop."""

import asyncio
from types import SimpleNamespace

from tests.ui.fake_turns import FakeTurns, Gate
from tests.ui.house import Tokens
from ui.looks import Looks
from ui.stops import Stops
from ui.tabs import Tabs
from ui.visitors import Visitors


class Anna:
    """Every handle is Anna's, but for one that is over."""

    async def find(self, handle):
        return None if handle == "over" else await Tokens().verify("eyJ.anna.x")


class Tab:
    """One tab of a browser."""

    def __init__(self, handle="h"):
        self.turns = FakeTurns()
        self.looks = Looks(self.turns, Visitors(Anna(), Tokens(), secure=False), Tabs(), Stops())
        self.request = SimpleNamespace(
            headers={}, cookies={"countersign": handle}, query_params={}, session_hash="tab1"
        )

    def say(self, text, place=""):
        return self.looks.say(text, place, self.request)

    async def said(self, text, place=""):
        return [frame async for frame in self.say(text, place)]


def place_of(frame):
    """The conversation that the newest marker names."""
    [*_, marker] = [part for part in frame if part["metadata"]["type"] == "view"]
    return marker["metadata"]["value"]["conversation"]


def types(frame):
    return [part["metadata"]["type"] for part in frame]


async def test_a_message_shows_its_words_then_its_answer_then_what_is_stored():
    tab = Tab()
    first, *_, streamed, last = await tab.said("hello")
    place = next(iter(tab.turns.conversations_))
    assert types(first)[:2] == ["user", "view"]
    assert types(streamed) == ["user", "view", "stream_token"]
    assert types(last) == ["user", "view", "stream_token", "actions"]
    markers = [frame[1]["metadata"]["value"] for frame in (first, streamed, last)]
    assert {marker["conversation"] for marker in markers} == {place}
    assert [marker.get("running", False) for marker in markers] == [True, True, False]
    assert [bool(marker["version"]) for marker in markers] == [False, False, True]


async def test_the_next_message_leaves_what_was_shown_in_its_place():
    tab = Tab()
    before = (await tab.said("hello"))[-1]
    frames = await tab.said("hello again", place_of(before))
    for frame in frames:
        assert types(frame)[:5] == [*types(before), "user"]
    assert types(frames[-1]) == [*types(before)] * 2


async def test_a_refusal_is_shown_below_what_was_said_before():
    tab = Tab()
    assert [types(frame) for frame in await tab.said("   ")] == [["user", "error"]]
    place = place_of((await tab.said("hello"))[-1])
    refused = (await tab.said("   ", place))[-1]
    assert types(refused)[-3:] == ["actions", "user", "error"]
    assert refused[-1]["metadata"]["code"] == "empty"
    assert place_of(refused) == place


async def test_somebody_elses_conversation_shows_the_refusal_alone():
    assert types((await Tab().said("hello", "c-of-vera"))[-1]) == ["user", "error"]


async def test_who_is_not_signed_in_any_more_learns_it():
    tab = Tab("over")
    [frame] = await tab.said("hello")
    assert frame[-1]["metadata"]["code"] == "unauthenticated"
    assert tab.turns.conversations_ == {}


async def test_a_stop_ends_the_turn_before_and_after_the_page_knows_its_conversation():
    tab = Tab()
    tab.turns.gate = gate = Gate()
    saying = asyncio.create_task(tab.said("slow"))
    await gate.reached.wait()
    stopping = asyncio.create_task(tab.looks.stop("", tab.request))
    await asyncio.sleep(0)
    gate.open.set()
    await asyncio.gather(saying, stopping)
    [place] = tab.turns.conversations_
    saying = tab.say("slow again", place)
    await anext(saying)
    await tab.looks.stop(place, tab.request)
    [*_, last] = [frame async for frame in saying]
    assert [turn.state for turn in tab.turns.conversations_[place].turns] == ["canceled", "canceled"]
    assert types(last)[-1] == "actions"


async def test_leaving_stops_nothing():
    tab = Tab()
    saying = tab.say("slow")
    await anext(saying)
    await saying.aclose()
    [conversation] = tab.turns.conversations_.values()
    assert conversation.turns[0].state == "running"
    conversation.turns[0].task.cancel()
