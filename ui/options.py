"""What the page must know about the installation, and the services behind it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agent.files import Files
from agent.identity import Principal
from agent.routing import Selector
from agent.turns import Turns
from tools.toolset import Lang, Role, ToolSpec
from ui.metrics import Gauges
from ui.oidc import OpenIdProvider
from ui.pages.audit import AuditLog
from ui.pages.feedback import FeedbackLog
from ui.pages.usage import UsageLog
from ui.proxy import ProxyPeople
from ui.sessions import Sessions
from ui.tries import Tries
from ui.visitors import Verifier

MOST_EXAMPLES = 4
SignInMode = Literal["demo", "password", "header", "embed", "hf"]
Readiness = Callable[[], Awaitable[dict[str, bool]]]


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """Someone to be in the demo: one press signs in with this account of the embedded backend."""

    username: str
    password: str = field(repr=False)
    name: dict[Lang, str] = field(default_factory=dict)
    role: str = "viewer"


@dataclass(frozen=True, slots=True)
class Example:
    """Something to try, on the empty page, for this role and those above; `sign` marks what will need a signature."""

    text: dict[Lang, str]
    sign: bool = False
    role: Role = Role.VIEWER


@dataclass(frozen=True, slots=True)
class WritableTool:
    """A tool whose changes can be undone, so a person may choose not to be asked for it."""

    name: str
    titles: dict[Lang, str]


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How the page presents itself and to whom it answers. `public_url` decides whether cookies are `__Host-`."""

    sign_in: SignInMode = "demo"
    model: str = "demo"
    demo_model: bool = True
    embedded_database: bool = True
    demo_people: Sequence[DemoPerson] = ()
    examples: Sequence[Example] = ()
    writable_tools: Sequence[WritableTool] = ()
    pages: Sequence[str] = ("approvals", "audit")
    public_url: str | None = None
    allowed_hosts: Sequence[str] = ("*",)
    allowed_origins: Sequence[str] = ()
    frame_ancestors: Sequence[str] = ()
    user_jwt_header: str = "X-User-JWT"
    metrics_token: str = field(default="", repr=False)

    @property
    def names(self) -> dict[str, dict[Lang, str]]:
        """The demo's people: a login, or a name in any language -> the name in each."""
        return {form: p.name for p in self.demo_people for form in (p.username, *p.name.values())}

    def examples_for(self, role: Role) -> list[Example]:
        """What a person of this role can try, the first few."""
        return [example for example in self.examples if role.covers(example.role)][:MOST_EXAMPLES]

    @property
    def secure(self) -> bool:
        """Whether people reach the page over https."""
        return (self.public_url or "").startswith("https://")


class Authority(Protocol):
    """Who gives out tokens for user names and passwords."""

    async def token(self, username: str, password: str) -> str:
        """A JWT; raises `WrongPassword` or `AuthorityDown`."""
        ...


class WrongPassword(Exception):  # noqa: N818
    """The authority knows no such person with that password."""


class AuthorityDown(Exception):  # noqa: N818
    """The authority did not answer."""


async def _ready() -> dict[str, bool]:
    return {}


@dataclass(frozen=True)
class Services:
    """The parts that the page is put on top of."""

    turns: Turns
    sessions: Sessions
    verifier: Verifier
    authority: Authority | None = None
    audit: AuditLog | None = None
    selector: Selector | None = None
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    ready: Readiness = _ready
    usage: UsageLog | None = None
    feedback: FeedbackLog | None = None
    files: Files | None = None
    fresh: Callable[[Principal], Awaitable[Principal | None]] | None = None
    proxy: ProxyPeople | None = None
    provider: OpenIdProvider | None = None
    jwks: Callable[[], dict[str, Any]] | None = None
    gauges: Gauges | None = None
    tries: Tries | None = None
