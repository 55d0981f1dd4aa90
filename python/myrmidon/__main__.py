# SPDX-License-Identifier: Apache-2.0
"""python -m myrmidon run --on MACHINE PROGRAM [ARGUMENTS...]

Runs a Python program on a machine; on mpi:S+W as processes of an MPI job on this computer. There,
tasks whose functions are in modules, and not in the program itself, run in all processes.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from . import _core


def _agents(machine: str) -> int:
    """How many processes mpi:S+W has."""
    shape = machine.removeprefix("mpi:").partition("x")[0]
    try:
        schedulers, workers = map(int, shape.split("+"))
    except ValueError:
        sys.exit(f"python -m myrmidon run: {machine} is not of the form mpi:S+W")
    return schedulers + workers


def _launch(machine: str, program: list[str]) -> None:
    launcher = shutil.which("mpirun")
    if launcher is None:
        sys.exit("python -m myrmidon run: mpi needs mpirun, of the package openmpi-bin")
    folder = str(Path(program[0]).resolve().parent)
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    variables = [
        f"MYR_ON={machine}",
        f"MYRMIDON_PYTHON={sys.executable}",
        f"PYTHONPATH={path}",
        # Before main, as every program of the job: Python itself would load it too late.
        f"LD_PRELOAD={_core.__file__}",
    ]
    words = [launcher, "-n", str(_agents(machine)), "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        words.append("--allow-run-as-root")
    words += ["env", *variables, sys.executable, *program]
    os.execv(launcher, words)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m myrmidon")
    commands = parser.add_subparsers(required=True, metavar="run")
    run = commands.add_parser("run", description=__doc__, help="run a program on a machine")
    run.add_argument("--on", default="smp", metavar="MACHINE", help="as MYR_ON has it")
    run.add_argument("program")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    program = [options.program, *options.arguments]
    if options.on.startswith("mpi:"):
        _launch(options.on, program)
    os.environ["MYR_ON"] = options.on
    os.execv(sys.executable, [sys.executable, *program])


if __name__ == "__main__":
    main()
