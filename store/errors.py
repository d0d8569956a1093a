"""What the store refuses. None of the texts holds anything that a person wrote."""

from uuid import UUID


class NotFound(LookupError):  # noqa: N818
    """There is no such thing for this person: it does not exist, was deleted, or is somebody else's."""


class TurnActive(RuntimeError):  # noqa: N818
    """The conversation has a turn that has not ended; `turn_id` and `state` say which."""

    def __init__(self, turn_id: UUID, state: str):
        super().__init__(f"turn {turn_id} is {state}")
        self.turn_id = turn_id
        self.state = state


class TurnIdReused(ValueError):  # noqa: N818
    """The client's turn id is taken by a turn with another message."""


class LostLease(RuntimeError):  # noqa: N818
    """The turn belongs to another worker or has ended: nothing was written, and nothing more may be done."""


class NotApproved(RuntimeError):  # noqa: N818
    """The approval is not in a state in which its call may run; `state` is the one it is in."""

    def __init__(self, state: str):
        super().__init__(f"the approval is {state}")
        self.state = state


class TooMuch(RuntimeError):  # noqa: N818
    """No room for more; the text names what there is too much of."""
