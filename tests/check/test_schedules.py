#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `myr check` certifies gives the same output, bit for bit, in random schedules.

Usage: test_schedules.py MYR RUNS PROGRAM [WORD...]
       test_schedules.py MYR RUNS CHECKED --random PLAIN FIRST_SEED COUNT

Each WORD is the argument of a run that is checked, and if it is certified, repeated RUNS times on
machines that share memory; without words there is one run without arguments. With --random there is
a run for each of so many random programs (tests/random), which PLAIN repeats, the same program
without the sanitizer. The exit status is 0 if something was certified, and nothing was wrongly.
"""

import argparse
import os
import subprocess
import sys

MACHINES = ("smp:2", "smp:4", "smp:8", "tree:1+2", "tree:1+3", "master:1+3")


def run(words: list[str], **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, capture_output=True, timeout=300, env=os.environ | variables)


def differences(command: list[str], expected: bytes, runs: int) -> list[str]:
    found = []
    for seed in range(1, runs + 1):
        machine = MACHINES[seed % len(MACHINES)]
        ended = run(command, MYR_ON=machine, MYR_CHAOS=str(seed))
        if ended.stdout != expected or ended.returncode != 0:
            found.append(f"MYR_ON={machine} MYR_CHAOS={seed} {' '.join(command)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("myr")
    parser.add_argument("runs", type=int)
    parser.add_argument("program")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--random", nargs=3, metavar=("PLAIN", "FIRST_SEED", "COUNT"))
    options = parser.parse_args()
    repeated = options.program
    inputs = [[word] for word in options.words] or [[]]
    if options.random is not None:
        repeated, first, count = options.random
        seeds = range(int(first), int(first) + int(count))
        only = ["--count", "1", "--groups", "0"]  # tasks in any order are not certified
        inputs = [["--seed", str(seed), *only] for seed in seeds]
    certified = wrong = 0
    for words in inputs:
        checked = run([options.myr, "check", options.program, *words])
        if b"; with this input " not in checked.stderr:
            if options.random is None:
                print(f"not certified: {options.program} {' '.join(words)}")
            continue
        certified += 1
        found = differences([repeated, *words], checked.stdout, options.runs)
        for text in found[:3]:
            print(f"another output: {text}")
        wrong += bool(found)
    print(
        f"{certified} of {len(inputs)} certified, {options.runs} runs of each; "
        f"{wrong} of them wrongly"
    )
    return 1 if wrong or not certified else 0


if __name__ == "__main__":
    sys.exit(main())
