"""The page on top of scripted turns: everything real except the agent, the tokens and the session table."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from agent.identity import Principal, Unauthenticated
from agent.keys import KeyRing, new_secrets
from router.entry import Choice, Selection
from store.audit import Filter, Link, Owner
from store.sessions import Session
from store.usage import By, Spent
from tests.ui.fake_turns import FakeTurns
from tools.catalogue import WORKSPACE
from tools.toolset import Role
from ui.app import build_app
from ui.options import DemoPerson, Example, PageOptions, Services, WritableTool, WrongPassword
from ui.renewal import of_the_demo
from ui.sessions import Sessions
from ui.tries import Tries

PEOPLE = [
    DemoPerson("vera", "v", {"en": "Vera Lindqvist", "ru": "Вера Линдквист"}, "viewer"),
    DemoPerson("ilya", "i", {"en": "Ilya Sorokin", "ru": "Илья Сорокин"}, "editor"),
    DemoPerson("anna", "a", {"en": "Anna Petrova", "ru": "Анна Петрова"}, "admin"),
]
NAMES = {person.username: person for person in PEOPLE}


class Tokens:
    """Gives out and verifies tokens that look like JWTs and are not."""

    async def token(self, username: str, password: str) -> str:
        if username not in NAMES or NAMES[username].password != password:
            raise WrongPassword
        return f"eyJ.{username}.x"

    async def verify(self, token: str) -> Principal:
        name = token.split(".")[1] if token.startswith("eyJ.") else ""
        if name not in NAMES:
            raise Unauthenticated("signature")
        person = NAMES[name]
        until = datetime.now(UTC) + timedelta(hours=1)
        return Principal("default", f"test|{name}", person.name["en"], Role(person.role), token, until)


@dataclass
class Rows:
    """The session table, in memory."""

    rows: dict[bytes, Session] = field(default_factory=dict)

    async def put(self, row: Session) -> None:
        self.rows[row.handle_sha256] = row

    async def renew(self, row: Session) -> bool:
        known = self.rows.get(row.handle_sha256)
        same = known is not None and (known.tenant, known.subject) == (row.tenant, row.subject)
        if same:
            self.rows[row.handle_sha256] = row
        return same

    async def get(self, handle_sha256: bytes) -> Session | None:
        return self.rows.get(handle_sha256)

    async def remove(self, handle_sha256: bytes) -> None:
        self.rows.pop(handle_sha256, None)


ENDS = ("decided", "expired", "superseded")


@dataclass
class Log:
    """The audit log, in memory."""

    links: list[Link] = field(default_factory=list)

    async def page(self, tenant: str, where: Filter, before: int | None, limit: int) -> list[Link]:
        found = [
            link
            for link in reversed(self.links)
            if link.tenant == tenant
            and where.owner in (None, link.owner)
            and where.person in (None, link.owner)
            and where.tool in (None, link.tool)
            and where.decision in (None, self._decision(link))
            and where.conversation_id in (None, link.conversation_id)
            and (where.since is None or link.at >= where.since)
            and (before is None or link.seq < before)
        ]
        return found[:limit]

    async def choices(self, tenant: str, owner: str | None) -> tuple[list[Owner], list[str]]:
        mine = [link for link in self.links if owner in (None, link.owner)]
        people = {link.owner: link.actor_name for link in mine if link.actor_name}
        return [Owner(*one) for one in people.items()], sorted({link.tool for link in mine if link.tool})

    def _decision(self, link: Link) -> str:
        of_card = [one for one in self.links if link.approval_id and one.approval_id == link.approval_id]
        decided = [one.data.get("decision", one.kind) for one in of_card if one.kind in ENDS]
        return decided[-1] if decided else "asked" if of_card else "unasked"

    def add(self, kind: str, owner: str, name: str, tool: str, approval: UUID | None = None, **data) -> None:
        """An entry of today; `name` acted."""
        seq = len(self.links) + 1
        self.links.append(
            Link(
                tenant="default", kind=kind, actor=f"test|{name.lower()}", owner=owner, actor_name=name, tool=tool,
                approval_id=approval, data=data, seq=seq, at=datetime.now(UTC), data_text="", prev_hash=bytes(32),
                hash=seq.to_bytes(32, "big"),
            )
        )  # fmt: skip


@dataclass
class Counts:
    """The counts of tokens, in memory; a million tokens cost a dollar."""

    rows: list[Spent] = field(default_factory=list)

    async def grouped(self, tenant: str, by: By, since: date, until: date, owner: str | None) -> list[Spent]:
        fit = (row for row in self.rows if row.day and since <= row.day < until and owner in (None, row.owner))
        return sorted(fit, key=lambda row: -row.output_tokens) if by == "person" else list(fit)

    def cost(self, spent: Spent) -> float | None:
        return (spent.input_tokens + spent.output_tokens) / 1e6


class Chooser:
    """A router that knows two tools."""

    def select(self, query, recent=(), allowed=None) -> Selection:
        found = Choice("delete_dashboard", 0.91, "keywords", ("delete",)) if "delete" in query.lower() else None
        rest = (Choice("list_tasks", 0.1, "meaning"),)
        return Selection((found,) if found else (), rest, 0.4, notice="The embedding model is away.")

    def find(self, description: str, allowed=None) -> Selection:
        return self.select(description)


SPECS = {spec.name: spec for spec in WORKSPACE}
EXAMPLES = [
    Example({"en": "Show tools at work", "ru": "Покажи tools за работой"}),
    Example({"en": "Delete sales_q2", "ru": "delete sales_q2"}, sign=True),
]
TOOLS = [WritableTool("update_dashboard", {"en": "Change a dashboard", "ru": "Изменить дашборд"})]
OPTIONS = PageOptions(
    demo_people=PEOPLE, examples=EXAMPLES, writable_tools=TOOLS, pages=("approvals", "audit", "usage", "router")
)  # fmt: skip


@dataclass
class House:
    """The app and what is behind it."""

    options: PageOptions = OPTIONS
    turns: FakeTurns = field(default_factory=FakeTurns)
    rows: Rows = field(default_factory=Rows)
    audit: Log = field(default_factory=Log)
    usage: Counts = field(default_factory=Counts)
    ready: dict[str, bool] = field(default_factory=lambda: {"database": True})
    tries: Tries | None = None

    def app(self):
        tokens = Tokens()

        async def ready() -> dict[str, bool]:
            return self.ready

        sessions = Sessions(self.rows, KeyRing(new_secrets()))
        fresh = of_the_demo(tokens, tokens, NAMES)
        services = Services(
            self.turns,
            sessions,
            tokens,
            tokens,
            self.audit,
            Chooser(),
            SPECS,
            ready,
            usage=self.usage,
            fresh=fresh,
            tries=self.tries,
        )
        return build_app(services, self.options)
