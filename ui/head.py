"""What goes into the head of the Gradio page: sheets, the script, and a stand-in for blocked storage."""

import hashlib
from functools import cache
from pathlib import Path

from ui.strings import module, strings

STATIC = Path(__file__).parent / "static"
SHEETS = (
    "tokens", "frame", "sidebar", "controls", "transcript", "composer", "cards", "forms", "receipts", "steps",
    "batch", "actions", "files", "pages", "usage", "responsive",
)  # fmt: skip

# In a cross-site frame with third-party storage blocked, touching localStorage throws and Gradio never starts.
STORAGE = """<script>(function(){
for (const name of ["localStorage", "sessionStorage"]) {
  try { window[name].getItem("x"); } catch (e) {
    const kept = new Map();
    const store = {getItem: k => kept.get(k) ?? null, setItem: (k, v) => void kept.set(k, String(v)),
      removeItem: k => void kept.delete(k), clear: () => kept.clear(), key: i => [...kept.keys()][i] ?? null,
      get length() { return kept.size; }};
    try { Object.defineProperty(window, name, {value: store, configurable: true}); } catch (e) {}
  }
}
const asked = new URLSearchParams(location.search), root = document.documentElement.classList;
root.toggle("cs-embed", asked.get("embed") === "1");
root.toggle("cs-opened", asked.has("conversation"));
})();</script>"""


@cache
def version() -> str:
    """Changes with any of the static files, so that browsers may keep them for good."""
    digest = hashlib.sha256(module(strings()).encode())
    for file in sorted(STATIC.rglob("*.*")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]


def base() -> str:
    """Where this version of the static files is."""
    return f"/cs-static/{version()}"


def sheets() -> str:
    """The link elements of all sheets, in order."""
    return "".join(f'<link rel="stylesheet" href="{base()}/css/{name}.css">' for name in SHEETS)


def head() -> str:
    """The head of the chat page."""
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">'
    return f'{viewport}{STORAGE}{sheets()}<script type="module" src="{base()}/js/main.js"></script>'
