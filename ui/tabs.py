"""Which stream a browser tab shows. A tab has one transcript, so a newer stream ends the older ones."""

from itertools import count


class Tabs:
    """The newest stream of every tab, by Gradio's session hash."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._current: dict[str, int] = {}

    def take(self, tab: str) -> int:
        """Begin a stream in this tab."""
        self._current[tab] = number = next(self._numbers)
        return number

    def shows(self, tab: str, number: int) -> bool:
        """Whether that stream is still the newest of its tab."""
        return self._current.get(tab) == number

    def forget(self, tab: str) -> None:
        """The tab has been closed."""
        self._current.pop(tab, None)
