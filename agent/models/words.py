"""Splits a stream of text into words for the person and thinking, whatever form the thinking comes in.

Local models write `<think>...</think>` into the text; tags and characters may be cut anywhere between two chunks.
"""

from collections.abc import Iterator

from langchain_core.messages import AIMessageChunk

_OPEN, _CLOSE = "<think>", "</think>"


def whole_text(text: str) -> str:
    """The text with surrogate pairs joined, lone surrogates replaced and NUL removed: what a database can hold."""
    if text.isascii():
        return text.replace("\0", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


class Words:
    """Feed text, get `(is_thinking, text)` pieces; what could be the start of a tag or half a character is held."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, text: str) -> Iterator[tuple[bool, str]]:
        """The pieces that are certain by now."""
        text = self._held + text
        self._held = ""
        while text:
            tag = self._tag(text)
            before, found, after = text.partition(tag) if tag else (text, "", "")
            if not found:
                keep = _held_back(before, tag)
                self._held = before[len(before) - keep :]
                before = before[: len(before) - keep]
            yield from self._piece(before)
            if not found:
                return
            self._thinking = not self._thinking
            text = after.lstrip("\n")

    def end(self) -> Iterator[tuple[bool, str]]:
        """What was held, now that nothing follows."""
        held, self._held = self._held, ""
        yield from self._piece(held)

    def _tag(self, text: str) -> str:
        """The tag to look for: thinking may only open before the first word of the answer."""
        if self._thinking:
            return _CLOSE
        first = text.lstrip()
        return _OPEN if not self._begun and (first.startswith(_OPEN) or _OPEN.startswith(first)) else ""

    def _piece(self, text: str) -> Iterator[tuple[bool, str]]:
        if not text:
            return
        if not self._thinking and text.strip():
            self._begun = True
        yield self._thinking, whole_text(text)


def _held_back(text: str, tag: str) -> int:
    """How many characters at the end could still become the tag or the first half of a surrogate pair."""
    longest = next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
    return longest or int(text[-1:] >= "\ud800" and text[-1:] <= "\udbff")


def said(chunk: AIMessageChunk) -> Iterator[tuple[bool, str]]:
    """`(is_reasoning, text)` in the order in which the chunk holds them, in the forms of both APIs."""
    if thought := chunk.additional_kwargs.get("reasoning_content"):
        yield True, thought
    if isinstance(chunk.content, str):
        if chunk.content:
            yield False, chunk.content
        return
    for block in chunk.content:
        if isinstance(block, str):
            yield False, block
        elif block.get("type") == "text":
            yield False, block.get("text", "")
        elif block.get("type") in {"reasoning", "thinking"}:
            yield True, thought_of(block)


def thought_of(block: dict) -> str:
    """The readable part of a reasoning block."""
    summary = "".join(part.get("text", "") for part in block.get("summary") or ())
    return summary or block.get("reasoning") or block.get("thinking") or block.get("text") or ""
