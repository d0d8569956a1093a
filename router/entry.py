"""What the router knows of a tool. It imports nothing of the other packages; they hand it a catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """One tool as the router sees it.

    `keywords` are optional words and phrases by language code; a catalogue without any works from names,
    descriptions, parameters and paths. `companions` are tools that come along (delete brings search).
    """

    name: str
    descriptions: Mapping[str, str]
    keywords: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parameters: Sequence[str] = ()
    path: str = ""
    method: str = ""
    effect: str = "unknown"
    companions: Sequence[str] = ()


@dataclass(frozen=True)
class Choice:
    """One offered tool and why: the tier that found it, its score, the words that matched."""

    tool: str
    score: float
    tier: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Selection:
    """The answer for one query, best first, and the near misses below the threshold."""

    choices: tuple[Choice, ...]
    below: tuple[Choice, ...] = ()
    threshold: float = 0.0
    notice: str | None = None

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the offered tools, best first."""
        return tuple(c.tool for c in self.choices)
