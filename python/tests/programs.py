# SPDX-License-Identifier: Apache-2.0
"""Runs small programs in a process of their own, for the tests beside this file."""

import os
import subprocess
import sys
import textwrap

PRELUDE = """\
import numpy as np
import myrmidon as myr
from myrmidon import In, InOut, Out, spawn, task, wait
"""


def run(
    body: str, *, machine: str = "smp:2", status: int = 0, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program, and checks its status; returns what it printed."""
    environment = os.environ | {"MYR_ON": machine} | variables
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode != status:
        raise AssertionError(
            f"status {done.returncode}, not {status}, on {machine}:\n{done.stdout}\n{done.stderr}"
        )
    return done
