"""Where temporary files go on a machine whose every folder but ours is read-only, as in a container without /tmp."""

import tempfile
from collections.abc import Callable
from pathlib import Path


def folder(data_dir: str | None, usable: Callable[[], str] = tempfile.gettempdir) -> str:
    """The system's folder for temporary files, or where there is none that can be written, `tmp` in `data_dir`.

    To be put into TMPDIR, for us and our children, before Gradio is imported: it looks for the folder at once.
    """
    try:
        return usable()
    except FileNotFoundError:
        made = Path(data_dir or "data").absolute() / "tmp"
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(made)
