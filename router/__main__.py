"""`python -m router eval | explain | calibrate`: figures, reasons and thresholds from the command line."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from router.calibration import Remembering, Sample, calibrate, judge, split
from router.cases import Case, CasesError, load_cases, load_catalogue, unknown_tools
from router.embedder import Embedder, EmbedderError
from router.entry import Choice
from router.evaluation import evaluate, run
from router.fusion import Policy
from router.models import BUILTIN, hub_answers, open_embedder
from router.policies import save_policy
from router.router import Router

_WORKSPACE = Path(__file__).with_name("workspace.json")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 2 on bad input, with one clear line on stderr."""
    options = _parser().parse_args(argv)
    try:
        options.command(options)
    except (CasesError, EmbedderError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m router", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, command in (("eval", _eval), ("explain", _explain), ("calibrate", _calibrate)):
        sub = commands.add_parser(name)
        sub.set_defaults(command=command)
        sub.add_argument("--catalogue", type=Path, default=_WORKSPACE, help="JSON list of entries")
        sub.add_argument("--model", default=BUILTIN, help="embedder: builtin, none, or a model id or folder")
        sub.add_argument("--json", action="store_true", help="one JSON object")
        if name == "explain":
            sub.add_argument("query")
            sub.add_argument("--after", action="append", default=[], help="tools of a turn before, comma separated")
        else:
            sub.add_argument("files", type=Path, nargs="+", help="labelled queries, JSON lines")
        if name == "calibrate":
            sub.add_argument("--held-out", type=Path, nargs="+", help="judge by these instead of by one half")
            sub.add_argument("--bare", action="store_true", help="for catalogues without keywords: leave them out")
            sub.add_argument(
                "--also", type=Path, nargs="+", action="append", default=[], metavar="CATALOGUE_OR_FILE",
                help="another catalogue with its labelled queries; one half of them judges the other",
            )  # fmt: skip
            sub.add_argument("--write", type=Path, help="file of policies to put the result into")
    return parser


def _embedder(options: argparse.Namespace) -> Embedder | None:
    return None if options.model == "none" else open_embedder(options.model, hub_answers)


def _router(options: argparse.Namespace) -> Router:
    return Router(load_catalogue(options.catalogue), _embedder(options))


def _cases(files: Sequence[Path], router: Router) -> list[Case]:
    cases = [case for file in files for case in load_cases(file)]
    unknown = unknown_tools(cases, list(router.entries.values()))
    if unknown:
        raise CasesError(f"The catalogue has no tool named {', '.join(sorted(unknown))}.")
    return cases


def _eval(options: argparse.Namespace) -> None:
    router = _router(options)
    cases = _cases(options.files, router)
    figures = evaluate(router, cases)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    for name, value in figures.items():
        print(f"{name:>26}  {value}")
    for outcome in (o for o in run(router, cases) if not o.good):
        lost = ", ".join(sorted(outcome.missing)) or "-"
        harm = ", ".join(sorted(outcome.harmful)) or "-"
        print(f"{outcome.case.id}  {outcome.case.query}\n    missing {lost}; forbidden {harm}")


def _explain(options: argparse.Namespace) -> None:
    recent = [tuple(turn.split(",")) for turn in options.after]
    selection = _router(options).select(options.query, recent)
    if options.json:
        print(json.dumps(asdict(selection), ensure_ascii=False))
        return
    for choice in selection.choices:
        print(_line("offered", choice))
    print(f"{'':>8}  threshold {selection.threshold}")
    for choice in selection.below:
        print(_line("below", choice))


def _line(label: str, choice: Choice) -> str:
    return f"{label:>8}  {choice.score:6.3f}  {choice.tier:<9}  {choice.tool:<26}  {', '.join(choice.words)}"


def _calibrate(options: argparse.Namespace) -> None:
    embedder = _embedder(options)
    shared = Remembering(embedder) if embedder else None
    samples = list(_samples(options, shared))
    policy = calibrate([tuned for tuned, _ in samples])
    own, *also = [{"tuned_on": _figures(a, policy), "held_out": _figures(b, policy)} for a, b in samples]
    model = embedder.id if embedder else None
    report = {"model": model, "threshold": policy.threshold, "ratio": policy.ratio, **own, "also": also}
    if options.write:
        save_policy(options.write, model, policy, options.bare)
    print(json.dumps(report, ensure_ascii=False, indent=None if options.json else 1))


def _samples(options: argparse.Namespace, embedder: Embedder | None) -> Iterator[tuple[Sample, Sample]]:
    """For each catalogue its queries to tune on, and those to judge by."""
    for catalogue, *files in [[options.catalogue, *options.files], *options.also]:
        entries = load_catalogue(catalogue)
        router = Router([replace(e, keywords={}) for e in entries] if options.bare else entries, embedder)
        cases = _cases(files, router)
        held_out = options.held_out if files == options.files else None
        tuned, judged = (cases, _cases(held_out, router)) if held_out else split(cases)
        yield (router, tuned), (router, judged)


def _figures(sample: Sample, policy: Policy) -> dict[str, float]:
    return {"queries": len(sample[1]), **asdict(judge(*sample, policy))}


if __name__ == "__main__":
    sys.exit(main())
