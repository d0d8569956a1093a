"""`python -m benchmarks NAME [--json]`: one measurement against peers, each a module with `main(argv)`."""

import importlib
import pkgutil
import signal
import sys
from pathlib import Path

from benchmarks._document import RECORDED


def main(argv: list[str]) -> int:
    """Run the named benchmark with the rest of the arguments; 2 if there is none of that name."""
    names = sorted(m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if m.name[0] != "_")
    if argv[:1] == ["all"]:
        return max(run(name, [*argv[1:], *(["--record"] if name in RECORDED else [])]) for name in names)
    if not argv or argv[0] not in names:
        print(f"usage: python -m benchmarks NAME|all [--json]; NAME is one of {', '.join(names)}", file=sys.stderr)
        return 2
    return run(argv[0], argv[1:])


def run(name: str, argv: list[str]) -> int:
    """One benchmark; its exit status."""
    return importlib.import_module(f"benchmarks.{name}").main(argv) or 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # ends what was started, too
    sys.exit(main(sys.argv[1:]))
