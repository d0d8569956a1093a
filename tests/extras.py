"""Where the packages of the extras are, which the environment of the tests itself does not have."""

import sys
from pathlib import Path

EXTRAS = str(Path(sys.prefix) / "extras")
