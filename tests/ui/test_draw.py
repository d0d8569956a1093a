"""Protocol parts become messages of the chatbot: grouping, receipts, what is kept and what is drawn again."""

import pytest

from agent.turns import Message, Page
from tests.ui.gallery import approval, gallery
from ui import cards
from ui.cards import ENDS
from ui.chatbot import XChatbot
from ui.draw import Artist
from ui.endpoint import error_part
from ui.messages import packed
from ui.strings import words
from ui.transcript import transcript, view


def part(kind: str, number: int, content: str = "", **meta):
    return {
        "role": "assistant",
        "content": content,
        "metadata": {"scope": "c/t", "id": f"p{number}", "seq": number, "type": kind, **meta},
    }


def tool(number: int, kind: str = "tool_end", **meta):
    return part(kind, number, call_id=f"c{number}", tool="search_dashboards", title="Searched", **meta)


def kinds(drawn):
    return [message["content"][0].get("kind") or message["content"][0]["type"] for message in drawn]


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_each_end_of_a_request_has_a_sentence_of_its_own(lang):
    ends = [("superseded", why) for why in sorted(ENDS - {"time", "signature"})]
    ends += [("expired", "time"), ("expired", "signature"), ("superseded", None)]
    told = []
    for state, why in ends:
        meta = {"type": "confirm_resolved", "approval": approval("delete", lang, state, reason=why)}
        ended = cards.confirm({"metadata": meta}, lang)["ended"]
        assert ended == (why or "other")
        told.append(words(f"ended.{ended}", lang))
    assert len(set(told)) == len(ends)
    denied = {"type": "confirm_resolved", "approval": approval("delete", lang, "denied", reason="stopped")}
    assert cards.confirm({"metadata": denied}, lang)["ended"] is None


def test_a_file_of_a_message_is_a_link_whatever_it_is_called():
    files = [{"id": "0-1", "name": "<b>&.txt"}, {"id": '"><script>', "name": "x"}]
    [drawn] = Artist().draw([{"role": "user", "content": "look", "metadata": {"type": "user", "files": files}}])
    assert drawn["content"][0]["text"].splitlines() == [
        "look",
        '<a class="cs-file" href="/ui/files/0-1" download>&lt;b&gt;&amp;.txt</a>',
        '<a class="cs-file" href="/ui/files/%22%3E%3Cscript%3E" download>x</a>',
    ]


def test_neighbouring_tools_share_a_card_and_words_part_them():
    drawn = Artist().draw([tool(1), tool(2), part("stream_token", 3, "so"), tool(4)])
    assert kinds(drawn) == ["steps", "text", "steps"]
    assert [len(m["content"][0].get("steps", [])) for m in drawn] == [2, 0, 1]


def thought(number: int, **meta):
    return part("stream_token", number, "Hm.", reasoning=True, **meta)


def test_thoughts_between_many_calls_stand_in_their_card_and_others_alone():
    drawn = Artist().draw([thought(1), tool(2), thought(3), tool(4), thought(5, status="pending")])
    assert kinds(drawn) == ["steps"]
    assert [row.get("kind", "call") for row in drawn[0]["content"][0]["steps"]] == [
        "thought", "call", "thought", "call", "thought",
    ]  # fmt: skip
    assert drawn[0]["content"][0]["steps"][-1]["running"] is True
    assert kinds(Artist().draw([thought(1), tool(2), thought(3)])) == ["reasoning", "steps", "reasoning"]


def test_a_group_names_what_was_read_once_and_not_what_there_was_to_choose_from():
    read = {"summary": "Revenue · 41", "data": {"id": "revenue"}}
    several = {"summary": "2 found", "data": {"columns": ["id"], "rows": [["a"], ["b"]], "total": 2}}
    parts = [tool(n, **meta) for n, meta in enumerate((read, read, several, {"summary": "31 found"}))]
    for n, name in enumerate(("read_document", "read_document", "read_attachment", "search_dashboards")):
        parts[n]["metadata"]["tool"] = name
    assert Artist().draw(parts)[0]["content"][0]["sources"] == ["Revenue · 41"]


def test_a_patch_is_rows_and_anything_else_is_not_taken_for_one():
    patch = [
        {"op": "replace", "path": "/a", "value": None},
        {"op": "move", "from": "/b", "path": "/c"},
        {"op": "remove", "path": ""},
    ]
    step = Artist().draw([tool(1, args={"document_id": "d", "patch": patch})])[0]["content"][0]["steps"][0]
    assert step["patch"]["changes"] == [
        {"op": "replace", "path": "/a", "after": None},
        {"op": "move", "path": "/b → /c"},
        {"op": "remove", "path": "/"},
    ]
    for other in ("patch", [1], [], [{"op": "add"}]):
        drawn = Artist().draw([tool(2, args={"patch": other})])[0]["content"][0]["steps"][0]
        assert drawn["patch"] is None


def test_each_kind_of_tool_has_its_icon():
    def icon(name: str, effect: str = "read") -> str:
        call = tool(1, effect=effect)
        call["metadata"]["tool"] = name
        return Artist().draw([call])[0]["content"][0]["steps"][0]["icon"]

    assert [icon(name) for name in ("list_tasks", "search_datasets", "shop.getOrder")] == ["list", "search", "page"]
    assert [icon(name, "write") for name in ("undo_change", "create_dashboard", "delete_x")] == ["swap", "pen", "trash"]


def test_requests_for_one_tool_are_one_table_and_others_stay_apart():
    conversation = gallery("o", "en")
    parts = [*conversation["batch"].turns[0].parts, *conversation["typed"].turns[0].parts[1:]]
    drawn = Artist().draw(parts)
    assert kinds(drawn) == ["batch", "confirm"]
    assert len(drawn[0]["content"][0]["items"]) == 3


def test_a_call_that_is_asked_again_keeps_cards_of_its_own():
    parts = gallery("o", "en")["batch"].turns[0].parts[1:3]
    again = [{**p, "metadata": {**p["metadata"], "call_id": "same"}} for p in parts]
    confirms = [p for p in again if p["metadata"]["type"].startswith("confirm")]
    assert kinds(Artist().draw(confirms)) == ["confirm"] * len(confirms)
    assert len(confirms) == 2


def test_the_call_behind_a_receipt_is_not_shown_twice():
    assert kinds(Artist().draw([tool(1, approval_id="a1"), tool(2)])) == ["steps"]


def test_what_did_not_change_is_not_drawn_again():
    artist = Artist()
    first = artist.draw([tool(1), part("stream_token", 2, "a")])
    second = artist.draw([tool(1), part("stream_token", 3, "ab")])
    assert second[0] is first[0]
    assert second[1] is not first[1]


def test_the_memory_of_drawings_is_bounded():
    artist = Artist(keep=10)
    for i in range(50):
        artist.draw([part("stream_token", i, "x")])
    assert len(artist._drawn) == 10


def test_drawn_messages_pass_through_and_are_not_grouped_again():
    artist = Artist()
    once = artist.draw([tool(1), part("stream_token", 2, "hello")])
    assert artist.draw(once) == once


def test_the_metadata_reaches_the_browser_without_a_title():
    message = Artist().draw([tool(7)])[0]
    assert message["metadata"] == {"type": "tool_end", "id": "p7", "seq": 7, "call_id": "c7", "drawn": True}


def test_the_chatbot_round_trip_keeps_messages_as_they_were():
    chatbot = XChatbot(render=False)
    data = chatbot.postprocess([{"role": "user", "content": "<b>hi</b>"}, tool(1), part("stream_token", 2, "**x**")])
    assert data.root[0].content[0].text == "&lt;b&gt;hi&lt;/b&gt;"
    again = chatbot.postprocess(chatbot.preprocess(data))
    assert again.model_dump() == data.model_dump()


def test_a_long_transcript_keeps_its_newest_messages_and_the_marker():
    drawn = Artist().draw([view("c1", "v"), *(part("stream_token", i, str(i)) for i in range(100))])
    kept = packed(drawn, 10).root
    assert len(kept) == 11
    assert kept[0].metadata
    assert kept[0].metadata["type"] == "view"
    assert kept[-1].content[0].text == "<p>99</p>\n"


def test_a_table_an_object_and_changed_paths():
    rows = [{"id": i, "name": f"n{i}", "owner": {"id": 1}} for i in range(30)]
    table = Artist().draw([tool(1, data={"items": rows, "total": 120})])[0]["content"][0]["steps"][0]["table"]
    assert (table["columns"], len(table["rows"]), table["total"]) == (["id", "name"], 20, 120)
    changed = Artist().draw([tool(2, data={"changed": ["/a/0"]})])[0]["content"][0]["steps"][0]
    assert changed["changes"] == ["/a/0"]


def test_every_state_of_the_gallery_is_drawn_in_both_languages():
    for lang in ("en", "ru"):
        for name, conversation in gallery("o", lang).items():
            assert Artist().draw(conversation.turns[0].parts), name


def test_drawings_of_one_turn_are_never_shown_in_another():
    artist = Artist()
    mine = artist.draw([part("usage", 1, model="a", scope="c1/t")])[0]
    other = artist.draw([part("usage", 1, model="b", scope="c2/t")])[0]
    assert (mine["content"][0]["model"], other["content"][0]["model"]) == ("a", "b")


def answered(state: str, *parts) -> Page:
    """A conversation of one turn."""
    said = Message("u", 1, "t", "user", "final", [], "hello", "")
    told = Message("a", 2, "t", "assistant", state, list(parts), "", "")  # type: ignore[arg-type]
    return Page("c", "", False, [said, told], None, None)


def test_a_card_is_drawn_in_the_language_of_its_reader():
    asked = gallery("o", "en")["pending"].turns[0].parts[-1]
    other = {"ru": {"title": "Удалить?", "lead": "Пропадёт.", "approve": "Удалить", "evidence": [], "reasons": ["x"]}}
    approval = asked["metadata"]["approval"]
    both = {**approval, "card": {**approval["card"], "other": other}}
    part_ = {**asked, "metadata": {**asked["metadata"], "approval": both, "scope": "c/t"}}
    artist = Artist()
    english, russian = [
        artist.draw([{**part_, "metadata": {**part_["metadata"], "lang": lang}}])[0]["content"][0]
        for lang in ("en", "ru")
    ]
    assert english["title"] == approval["card"]["title"]
    assert (russian["title"], russian["approve"], russian["reasons"]) == ("Удалить?", "Удалить", ["x"])


def test_the_form_names_its_fields_for_the_reader():
    asked = gallery("o", "en")["form"].turns[0].parts[-1]
    schema = {"properties": {"name": {"type": "string", "title": "Name", "description": "Up to 60"}}}
    approval = {**asked["metadata"]["approval"], "args_schema": schema}
    fields = [
        Artist().draw([{**asked, "metadata": {**asked["metadata"], "approval": approval, "lang": lang}}])[0]["content"][
            0
        ]["schema"]["properties"]["name"]
        for lang in ("en", "ru")
    ]
    assert [field["title"] for field in fields] == ["Name", "Название"]
    assert [field.get("description") for field in fields] == ["Up to 60", None]


def test_a_step_is_named_and_counted_in_the_language_of_its_reader():
    artist = Artist({"search_dashboards": {"en": "Looked for dashboards", "ru": "Поиск дашбордов"}})
    table = {"columns": ["a"], "rows": [], "total": 3}
    labels = [
        artist.draw([tool(1, summary="3 found", data=table, lang=lang)])[0]["content"][0]["steps"][0]["label"]
        for lang in ("en", "ru")
    ]
    assert labels == ["Looked for dashboards: 3 found", "Поиск дашбордов: найдено: 3"]


def test_a_notice_is_in_the_pages_words_where_it_has_some():
    artist = Artist()
    known = artist.draw([part("notice", 1, "Old parts.", code="context_cut", lang="ru")])[0]["content"][0]
    other = artist.draw([part("notice", 2, "As it came.", code="router", lang="ru")])[0]["content"][0]
    assert (known["text"].split()[0], other["text"]) == ("Разговор", "As it came.")


def test_one_refusal_at_a_time_and_no_empty_message():
    parts = []
    for _ in range(3):
        parts += [{"role": "user", "content": "  "}, error_part("empty", "The message is empty.")]
    first = Artist().draw(parts)
    assert kinds(first) == ["error"]
    again = Artist().draw([*first, {"role": "user", "content": ""}, error_part("too_long", "Too long.")])
    assert [message["content"][0]["code"] for message in again] == ["too_long"]


def test_a_stopped_answer_says_so_and_shows_no_half_table():
    said = part("stream_token", 1, "Found two.\n\n| Name | Vi", status="done")
    drawn = Artist().draw(transcript(answered("canceled", said, part("usage", 2, model="m")), "ru"))
    assert [message["content"][0].get("text", "").strip() for message in drawn[2:3]] == ["<p>Found two.</p>"]
    assert drawn[3]["content"][0]["code"] == "stopped"
    assert drawn[3]["content"][0]["text"].startswith("Остановлено")
    assert kinds(drawn)[4] == "actions"
    assert drawn[4]["content"][0]["usage"]["model"] == "m"


def test_an_answer_that_ended_by_itself_or_was_replaced_is_not_called_stopped():
    ended = transcript(answered("final", part("stream_token", 1, "| a |")), "en")
    asked = gallery("o", "en")["superseded"].turns[0].parts
    replaced = transcript(answered("canceled", *asked), "en")
    assert [p for p in (*ended, *replaced) if p["metadata"].get("code") == "stopped"] == []
