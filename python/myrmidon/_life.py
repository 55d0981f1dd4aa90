# SPDX-License-Identifier: Apache-2.0
"""The machine's life in a Python process: start, end, forks, and the end of the program."""

import atexit
import os
import sys
import threading
import traceback
from pathlib import Path

from . import _core, _remote, _values

MISUSE_STATUS = 70  # MYR_EXIT_MISUSE of the library


def start(
    machine: str | None = None,
    workers: int = 0,
    *,
    pin: bool = False,
    stack_mib: int = 0,
    chaos: int = 0,
) -> None:
    """Starts the machine; without it, the first task does, as MYR_ON says.

    Parameters
    ----------
    machine
        As MYR_ON has it: "smp", "smp:4", "serial", "tree:1+3", "sim:formic-8+64". None: smp. An
        environment variable that is set overrides what stands here.
    workers
        Threads of smp; 0: one a processor that the process may use.
    pin
        Each thread has a processor of its own.
    stack_mib
        The size of a task's stack, in MiB; 0: 16.
    chaos
        A seed: tasks run in a random order, for tests. 0: none.

    Raises
    ------
    StartError
        There is no such machine, it cannot start, or one runs already: finish() ends that.
    """
    if workers < 0 or stack_mib < 0 or chaos < 0:
        raise ValueError("start(): workers, stack_mib and chaos are 0 or more")
    _core.start(machine, workers, pin, stack_mib, chaos)


def finish() -> None:
    """Waits for all tasks and stops the machine; start() may start another one.

    Raises what a task has raised and no wait has, once the machine has stopped. Called at the end
    of the program by itself. Only the thread that made the first call may call it.
    """
    try:
        if _core.has_machine():
            _core.wait()
    finally:
        _core.finish()


def _finish_at_exit() -> None:
    """The end of the program: a failure that nobody has taken is told, and gives the status."""
    _core.begin_end()
    try:
        finish()
    except BaseException as failure:  # whatever a task has raised
        print("myrmidon: a task failed, and no wait() has raised it:", file=sys.stderr)
        traceback.print_exception(failure)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(MISUSE_STATUS)


def _begin_as_child() -> None:
    _core.forget_machine()
    _core.set_main_thread(threading.get_ident())


def _check_job() -> None:
    """A process of an MPI job has the library before Python; programs that it starts have not."""
    on = os.environ.get("MYR_ON", "")
    if not on.startswith(("mpi:", "spmd:")):
        return
    if os.environ.pop("LD_PRELOAD", None) is None and "MYRMIDON_PYTHON" not in os.environ:
        _core.set_obstacle(
            f"MYR_ON={on} cannot be chosen like this for a Python program: start it by "
            "`python -m myrmidon run --on mpi:S+W PROGRAM`"
        )


def prepare() -> None:
    """Called once, when the package is imported."""
    _core.set_package_folder(str(Path(__file__).parent) + os.sep)
    _core.set_value_check(_values.check)
    _core.set_remote(_remote.describe, _remote.load)
    _core.set_main_thread(threading.main_thread().ident)
    _check_job()
    os.register_at_fork(after_in_child=_begin_as_child)
    atexit.register(_finish_at_exit)
