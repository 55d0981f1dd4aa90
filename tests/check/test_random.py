#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`myr check` on random programs: it accuses none that is right; and where one that is broken gives
another result in some order, or could, it or the runtime has told.

Usage: test_random.py MYR CHECKED PLAIN [FIRST_SEED [RIGHT [BROKEN]]]
"""

import os
import subprocess
import sys

FOUND, REFUSED = 66, 70


def run(words: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, timeout=500, env=os.environ | variables
    )


def is_wrong_in_some_order(plain: str, seed: int) -> bool:
    words = [plain, "--seed", str(seed), "--count", "1", "--break"]
    chaos = [run(words, MYR_ON="smp:4", MYR_CHAOS=str(order)).returncode for order in range(1, 5)]
    return any(chaos) or run(words, MYR_ON="smp:8").returncode != 0


def main() -> int:
    myr, checked, plain = sys.argv[1:4]
    numbers = [int(word) for word in sys.argv[4:]]
    first, right, broken = (*numbers, *(1, 300, 60)[len(numbers) :])
    status = 0
    ended = run([myr, "check", checked, "--seed", str(first), "--count", str(right)])
    if ended.returncode != 0:
        print(f"right programs are accused:\n{ended.stdout[-100:]}{ended.stderr[-1000:]}")
        status = 1
    told = {0: 0, FOUND: 0, REFUSED: 0}
    for seed in range(first, first + broken):
        words = [myr, "check", checked, "--seed", str(seed), "--count", "1", "--break"]
        ended = run(words)
        told[ended.returncode] = told.get(ended.returncode, 0) + 1
        if ended.returncode == 0 and is_wrong_in_some_order(plain, seed):
            print(f"not found: {' '.join(words)}")
            status = 1
    print(
        f"{right} right programs; of {broken} broken ones check found {told[FOUND]}, the runtime "
        f"refused {told[REFUSED]}, in {told[0]} no order was lost"
    )
    if told[FOUND] < broken // 10:
        print("hardly any broken program is found")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
