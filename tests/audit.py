"""`make audit`: asks PyPI's advisories about every pin of the locks, and says plainly what it learned and what not.

Exit status 0: all were asked about and none has a known hole. 1: a pin has one. 2: some could not be asked about.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-extras.lock", "requirements-dev.lock")
ELSEWHERE = "Nothing is known of these. Run `make audit` where PyPI can be asked about each of them."


def verdict(report: dict[str, Any]) -> tuple[int, list[str]]:
    """The exit status and the lines to print for a report of pip-audit (`--format json`)."""
    packages = {package["name"]: package for package in report["dependencies"]}.values()
    unasked = sorted(package["name"] for package in packages if "skip_reason" in package)
    holes = [_told(package, hole) for package in packages for hole in package.get("vulns", [])]
    if holes:
        return 1, [f"{len(holes)} known holes:", *holes, *_missing(unasked, len(packages))]
    if unasked or not packages:
        return 2, _missing(unasked, len(packages)) or ["There is no pin to ask about."]
    return 0, [f"{len(packages)} packages were asked about: none has a known hole."]


def _told(package: dict[str, Any], hole: dict[str, Any]) -> str:
    names = ", ".join([hole["id"], *hole.get("aliases", [])])
    fixed = " or ".join(hole.get("fix_versions", []))
    return f"  {package['name']} {package['version']}: {names}; " + (f"fixed in {fixed}" if fixed else "no fix yet")


def _missing(unasked: list[str], of: int) -> list[str]:
    if not unasked:
        return []
    named = ", ".join(unasked[:5]) + (" and others" if len(unasked) > 5 else "")
    return [f"{len(unasked)} of {of} packages could not be asked about ({named}).", ELSEWHERE]


def audit() -> tuple[int, list[str]]:
    """Run pip-audit over the locks."""
    command = [str(Path(sys.executable).with_name("pip-audit")), "--format", "json", "--progress-spinner", "off"]
    command += ["--no-deps", "--disable-pip", *(part for lock in LOCKS for part in ("-r", lock))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return learned(done.stdout, done.stderr)


def learned(answer: str, complaint: str) -> tuple[int, list[str]]:
    """The verdict on what pip-audit printed, which is no report where it reached nobody."""
    try:
        return verdict(json.loads(answer))
    except ValueError:
        last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
        return 2, [f"pip-audit could ask about no package: {last[:300]}", ELSEWHERE]


if __name__ == "__main__":
    status, lines = audit()
    print("\n".join(lines))
    sys.exit(status)
