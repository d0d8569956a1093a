"""Words of the model as HTML that can do nothing: CommonMark without HTML and images, then an allow-list."""

import html
import re

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from tools.text import clean_text, shown_text

TAGS = {
    "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "blockquote",
    "ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}
DELIMITER = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|?)+\s*")
SCHEMES = {"http", "https", "mailto"}
CLOSING = re.compile(r"(?:</[a-z0-9]+>\s*)+$")


class _Renderer(RendererHTML):
    """An image becomes words: fetching it would tell its server what the model put in the address (EchoLeak)."""

    def image(self, tokens, idx, options, env) -> str:
        label = self.renderInlineAsText(tokens[idx].children or [], options, env)
        return html.escape(f"[{label or 'image'}]")


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}, renderer_cls=_Renderer).enable(
    ["table", "strikethrough"]
)


def markdown(text: str, *, unfinished: bool = False, going_on: bool = False) -> str:
    """Sanitised HTML of an answer. Links open in a new tab and carry no referrer.

    Of an `unfinished` answer the beginning of a table waits until it is one. While it is `going_on` the tags at its
    end stay open: a browser closes them all the same, and new words go behind the old ones, so that only they travel.
    """
    plain_text = clean_text(text)
    rendered = _markdown.render(_without_table_start(plain_text) if unfinished else plain_text)
    safe = nh3.clean(
        _columns(rendered),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return CLOSING.sub("", safe) if going_on else safe


def _without_table_start(text: str) -> str:
    """The text without lines at its end that begin a table but lack its second line, so would show as bars."""
    lines = text.rstrip().split("\n")
    start = len(lines)
    while start and lines[start - 1].lstrip().startswith("|"):
        start -= 1
    begun = lines[start:]
    whole = len(begun) > 1 and _cells(begun[1]) == _cells(begun[0]) and DELIMITER.fullmatch(begun[1])
    return text if whole or not begun else "\n".join(lines[:start])


def _cells(line: str) -> int:
    return line.strip().strip("|").count("|") + 1


def plain(text: str) -> str:
    """A person's own words: nothing is markup, and nothing is hidden."""
    return html.escape(shown_text(text))


def _columns(rendered: str) -> str:
    """markdown-it aligns columns by style, which is not on the allow-list."""
    return re.sub(r'style="text-align:(left|right|center)"', r'align="\1"', rendered)
