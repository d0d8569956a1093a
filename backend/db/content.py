"""The content of an environment as a whole: taking a copy, comparing with one, going back to one."""

from dataclasses import dataclass, field
from typing import Any

from backend.database import Connection
from backend.db import changes, dashboards, datasets
from backend.differences import Image, between
from backend.effects import Act

Content = dict[str, list[Image]]
KEYS = {"dashboards": "key", "datasets": "name"}
NOUNS: dict[str, Any] = {"dashboards": dashboards, "datasets": datasets}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to create (`before` is None), to delete (`after` is None) or to update."""

    noun: str
    before: Image | None
    after: Image | None

    @property
    def name(self) -> str:
        """The name by which a person knows it."""
        return (self.after or self.before or {})["name"]


@dataclass(frozen=True, slots=True)
class Difference:
    """What leads from one content to another."""

    create: list[Step] = field(default_factory=list)
    update: list[Step] = field(default_factory=list)
    delete: list[Step] = field(default_factory=list)

    @property
    def steps(self) -> list[Step]:
        """All steps in an order that never has two things of one name: first away, then anew."""
        return [*self.delete, *self.update, *self.create]

    def names(self, most: int) -> dict[str, list[str]]:
        """The names of each kind, at most so many in all, in the order of `steps`."""
        kept: dict[str, list[str]] = {}
        for label, steps in (("deleted", self.delete), ("updated", self.update), ("created", self.create)):
            kept[label] = [step.name for step in steps[:most]]
            most -= len(kept[label])
        return kept

    def counts(self) -> dict[str, int]:
        """How many of each."""
        return {"created": len(self.create), "updated": len(self.update), "deleted": len(self.delete)}


async def read(connection: Connection, environment: str) -> Content:
    """A copy of the content at this moment."""
    row = await (await connection.execute("select content_of(%s) as content", (environment,))).fetchone()
    assert row is not None
    return row["content"]


def compare(current: Content, wanted: Content) -> Difference:
    """What must happen to get from `current` to `wanted`; data and ids of what is there already stay."""
    difference = Difference()
    for noun, key in KEYS.items():
        old = {image[key]: image for image in current[noun]}
        new = {image[key]: image for image in wanted[noun]}
        difference.delete.extend(Step(noun, old[name], None) for name in old if name not in new)
        difference.create.extend(Step(noun, None, new[name]) for name in new if name not in old)
        kept = [(old[name], {**new[name], "id": old[name]["id"]}) for name in new if name in old]
        difference.update.extend(Step(noun, before, after) for before, after in kept if between(before, after))
    return difference


async def carry_out(act: Act, environment: str, difference: Difference) -> None:
    """Do all steps and record each as a change. The caller holds the environment's lock."""
    for step in difference.steps:
        noun = NOUNS[step.noun]
        after = await _write(act.connection, noun, step)
        await changes.record(act, noun.reference(after or step.before), step.before, after, environment=environment)


async def _write(connection: Connection, noun: Any, step: Step) -> Image | None:
    if step.after is None:
        await noun.remove(connection, (step.before or {})["id"])
        return None
    after = {**step.after, "id": step.after["id"] or await noun.next_id(connection)}
    await noun.put(connection, after)
    return after
