# SPDX-License-Identifier: Apache-2.0
"""myrcc reads every source of this folder, and random ones, without a crash; in a build with
sanitizers, without a report either. Nothing is compiled: what comes of the sources is the other
tests' business.

Usage: test_robust.py BUILD_FOLDER [--seed S]
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz import Mutator
from support import HERE, Tools, flags_of, in_parallel, run
from test_generated import batches

FOLDERS = ("bad", "cases", "good")
MUTANTS = 20
GENERATED = 20


def problem_with(tools: Tools, source: Path, flags: list[str]) -> str:
    done = run(tools.myrcc, *flags, "--emit", source, cwd=source.parent)
    # The compiler's own error counts: a source without pragmas goes to it unread.
    is_told = done.returncode == 0 or "error: " in done.stderr
    is_reported = "Sanitizer" in done.stderr or "runtime error" in done.stderr
    if done.returncode in (0, 1) and is_told and not is_reported:
        return ""
    return f"{source}: status {done.returncode}\n{done.stderr}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000 % 10**6)
    arguments = parser.parse_args()
    print(f"seed={arguments.seed}", flush=True)
    tools = Tools(arguments.build.resolve())
    sources = [
        (path, flags_of(path))
        for folder in FOLDERS
        for path in sorted((HERE / folder).iterdir())
        if path.suffix in (".c", ".cpp")
    ]
    with TemporaryDirectory() as folder:
        for seed in range(arguments.seed, arguments.seed + MUTANTS):
            mutator = Mutator(seed)
            path = Path(folder, f"mutant_{seed}{mutator.source.suffix}")
            path.write_text(mutator.mutated())
            sources.append((path, [*flags_of(mutator.source), f"-I{HERE / 'good'}"]))
        for number, batch in enumerate(batches(arguments.seed, 2 * GENERATED)):
            path = Path(folder, f"generated_{number}.{'cpp' if batch.is_cxx else 'c'}")
            path.write_text(batch.text())
            sources.append((path, []))
        problems = in_parallel(lambda source: problem_with(tools, *source), sources)
    problems = [text for text in problems if text]
    for text in problems:
        print(text)
    print(f"{len(sources)} sources, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
