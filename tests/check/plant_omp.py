#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a fault at random into an OpenMP program, and looks whether `myr check` finds it; again
and again. A fault that is not found is judged by other means: whether results differ, and by
ThreadSanitizer and Archer.

Usage: plant_omp.py [--seed N] [--count N] [--build build/release] [--folder FOLDER]
                    [--programs FILE]
                    [--judge WHICH] [--only PATTERN] [--least N] [--kept FOLDER] [--records FILE]

The programs are our kernels of a release build, and those that --programs names, where their
folders are below FOLDER. Only faults in code that is executed count. The exit status is 1 if a
fault is missed that another judge finds, or if fewer than N are found. With --only and a fault's
name, as in the output, it is that fault again; --show prints the changed lines.
"""

import argparse
import difflib
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import omp_builds
import omp_judge
from omp_builds import CLANG_SHARED, SANITIZED, Builder, Program, Unit, active_lines
from omp_faults import Directive, Fault, directives, faults

HERE = Path(__file__).parent
BASE_SECONDS = 30  # an unchanged program that takes longer under `myr check` is left out
KINDS = {
    "depend": "depend clause dropped",
    "item": "item of a depend clause dropped",
    "weakened": "depend(inout) or depend(out) made depend(in)",
    "taskwait": "taskwait removed",
    "barrier": "barrier removed",
    "nowait": "nowait added",
    "taskgroup": "taskgroup removed",
    "shared": "private, firstprivate or lastprivate made shared",
    "atomic": "atomic removed",
    "critical": "critical removed",
    "reduction": "reduction dropped",
    "ordered": "ordered removed",
}


@dataclass(frozen=True)
class Planted:
    program: Program
    unit: Unit
    fault: Fault
    number: int  # of its kind in its line
    pragma: Directive  # that has it

    def is_compiled(self) -> bool:
        lines = range(self.pragma.line, self.pragma.last_line + 1)
        return not active_lines(self.unit).isdisjoint(lines)

    @property
    def name(self) -> str:
        fault = self.fault
        words = (self.program.name, self.unit.source.name, fault.line, fault.kind, self.number)
        return ":".join(map(str, words))


@dataclass
class Outcome:
    planted: Planted
    said: str
    text: str
    evidence: list[str]

    @property
    def verdict(self) -> str:
        if self.said.startswith("found"):
            return self.said
        if any(omp_judge.SANITIZER in means for means in self.evidence):
            return "missed"
        if self.said != "none":
            return self.said
        return "missed" if self.evidence else "harmless"


def all_faults(program: Program) -> Iterator[Planted]:
    for unit in program.units:
        if not unit.is_planted:
            continue
        source = unit.source.read_text(errors="replace")
        pragmas = list(directives(source))
        seen: Counter[tuple[str, int]] = Counter()
        for fault in faults(source):
            seen[fault.kind, fault.line] += 1
            pragma = next(each for each in pragmas if each.line <= fault.line <= each.last_line)
            yield Planted(program, unit, fault, seen[fault.kind, fault.line], pragma)


def drawn(every: list[Planted], seed: int) -> Iterator[Planted]:
    """All faults, one of each kind after the other; of a kind each suite as often as the others."""
    dice = random.Random(seed)
    left: dict[str, dict[str, list[Planted]]] = defaultdict(lambda: defaultdict(list))
    for planted in every:
        left[planted.fault.kind][planted.program.name.split(".")[0]].append(planted)
    while left:
        for kind in dice.sample(sorted(left), len(left)):
            suites = left[kind]
            suite = dice.choice(sorted(suites))
            yield suites[suite].pop(dice.randrange(len(suites[suite])))
            if not suites[suite]:
                del suites[suite]
            if not suites:
                del left[kind]


class Planter:
    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        builder = Builder(folder)
        myr = (options.build / "bin" / "myr").resolve()
        self.checker = omp_judge.Checker(builder, myr)
        self.judge = omp_judge.Judge(builder, myr, options.limit)
        self.judged = options.judge
        self.limit = options.limit

    def outcome(self, planted: Planted) -> Outcome | None:
        """None: there is nothing to judge, as the program is not right or not quick enough before,
        the compiler refuses the fault, or the program does not come there."""
        program, source = planted.program, planted.unit.source
        if (
            not planted.is_compiled()
            or self.checker.says(program, SANITIZED, BASE_SECONDS) != "none"
        ):
            return None
        change = (source, planted.fault.planted(source.read_text(errors="replace")))
        said, text = self.checker.check(program, change, SANITIZED, self.limit)
        if said == "not built":
            return None
        if said != "found" and not self.judge.executes(program, source, planted.pragma.begin):
            return None
        if said == "none" and self.checker.says(program, CLANG_SHARED, BASE_SECONDS) == "none":
            by_clang, text_of_clang = self.checker.check(program, change, CLANG_SHARED, self.limit)
            if by_clang == "found":
                said, text = "found by clang", text_of_clang
        evidence = []
        if self.judged == "all" or (self.judged == "missed" and not said.startswith("found")):
            evidence = self.judge.evidence(program, change)
        return Outcome(planted, said, text, evidence)


def table(outcomes: list[Outcome]) -> Iterator[str]:
    heads = ("found", "found by clang", "missed", "harmless", "failed", "too slow")
    yield "| fault | planted | race by other means | " + " | ".join(heads) + " |"
    yield "| --- |" + " --- |" * (len(heads) + 2)
    for kind, title in [*KINDS.items(), ("", "together")]:
        mine = [each for each in outcomes if kind in ("", each.planted.fault.kind)]
        counts = Counter(each.verdict for each in mine)
        proved = sum(bool(each.evidence) for each in mine)
        cells = (len(mine), proved, *(counts[head] for head in heads))
        yield f"| {title} | " + " | ".join(map(str, cells)) + " |"


def show(planted: Planted) -> None:
    before = planted.unit.source.read_text(errors="replace")
    after = planted.fault.planted(before)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    print(f"--- {planted.name}", *list(lines)[2:], sep="\n")


def record(outcome: Outcome) -> str:
    planted = outcome.planted
    return json.dumps(
        {
            "fault": planted.name,
            "what": planted.fault.what,
            "verdict": outcome.verdict,
            "said": outcome.text,
            "evidence": outcome.evidence,
        }
    )


def sentence(outcome: Outcome) -> str:
    told = "; ".join([outcome.text, *outcome.evidence])
    text = f"{outcome.verdict}: {outcome.planted.name}: {outcome.planted.fault.what}: {told}"
    return re.sub(r"[\s\\]+", " ", text)


def plant(planter: Planter, order: Iterator[Planted], options: argparse.Namespace) -> list[Outcome]:
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in filter(None, pool.map(planter.outcome, order)):
            outcomes.append(outcome)
            print(sentence(outcome), flush=True)
            if options.records:
                with options.records.open("a") as file:
                    print(record(outcome), file=file)
            if len(outcomes) == options.count:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    return outcomes


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/openmp"))
    parser.add_argument(
        "--programs", type=Path, default=HERE / "omp_programs.toml", help="which are in the folder"
    )
    parser.add_argument("--only", default="", help="faults in whose names this pattern is")
    parser.add_argument("--least", type=int, default=1, help="how many must be found")
    parser.add_argument("--judge", choices=("none", "missed", "all"), default="missed")
    parser.add_argument("--limit", type=float, default=60, help="seconds a program may run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", type=Path, help="where what is built stays")
    parser.add_argument("--records", type=Path, help="a line of JSON for each fault is added")
    parser.add_argument("--show", action="store_true", help="the changes, without planting them")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    programs = [
        *omp_builds.kernels(options.build.resolve()),
        *omp_builds.listed(options.programs, options.folder.resolve()),
    ]
    every = [planted for program in programs for planted in all_faults(program)]
    every = [planted for planted in every if re.search(options.only, planted.name)]
    print(f"{len(programs)} programs, {len(every)} faults", flush=True)
    order = drawn(every, options.seed)
    if options.show:
        for planted in islice(order, options.count):
            show(planted)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        kept = (options.kept or Path(temporary)).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        outcomes = plant(Planter(options, kept), order, options)
    print(*table(outcomes), sep="\n")
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    return (
        1
        if verdicts["missed"] or verdicts["found"] + verdicts["found by clang"] < options.least
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
