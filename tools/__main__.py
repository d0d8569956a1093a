"""Command line of the tools: list, and for a backend of one's own also show, try and import."""

import argparse
import sys
from collections.abc import Sequence

from tools.listing import add_list
from tools.openapi.commands import CommandError, add_import, add_show, add_try
from tools.openapi.document import DocumentError
from tools.openapi.policy import PolicyError

COMMANDS = (add_list, add_show, add_try, add_import)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status, 2 with one line for what cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for add in COMMANDS:
        add(commands)
    options = parser.parse_args(arguments)
    try:
        return options.run(options) or 0
    except (CommandError, DocumentError, PolicyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
