#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `myr check` certifies gives the same output, bit for bit, in random schedules.

Usage: test_schedules.py MYR RUNS PROGRAM [WORD...]

Each WORD is the argument of a run that is checked, and if it is certified, repeated RUNS times on
machines that share memory; without words there is one run without arguments. The exit status is 0
if something was certified, and nothing was wrongly.
"""

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
    myr, runs, program, *words = sys.argv[1:]
    certified = wrong = 0
    for command in [[program, word] for word in words] or [[program]]:
        checked = run([myr, "check", *command])
        if b"; with this input " not in checked.stderr:
            print(f"not certified: {' '.join(command)}")
            continue
        certified += 1
        found = differences(command, checked.stdout, int(runs))
        for text in found[:3]:
            print(f"another output: {text}")
        wrong += bool(found)
    print(f"{certified} certified, {runs} runs of each; {wrong} of them wrongly")
    return 1 if wrong or not certified else 0


if __name__ == "__main__":
    sys.exit(main())
