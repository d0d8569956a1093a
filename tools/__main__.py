"""Command line of the tools: `python -m tools list [--json]`."""

import argparse
import sys
from collections.abc import Sequence

from tools.listing import add_list

COMMANDS = (add_list,)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for add in COMMANDS:
        add(commands)
    options = parser.parse_args(arguments)
    return options.run(options) or 0


if __name__ == "__main__":
    sys.exit(main())
