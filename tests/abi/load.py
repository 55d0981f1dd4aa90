# SPDX-License-Identifier: Apache-2.0
"""Loads libmyrmidon.so late, as Python and plug-ins do, uses it, unloads it, and does so again.

Usage: load.py LIBRARY     prints what went wrong, if anything; status 1 then
"""

import _ctypes
import ctypes
import os
import subprocess
import sys

BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# What is left of the room that the C library has for thread-local variables of libraries which are
# loaded late is small (512 bytes, by default), and shared by all of them.
TLS_BYTES_MAX = 64


def tls_bytes(library: str) -> int:
    """Size of the library's thread-local variables."""
    output = subprocess.run(
        ["readelf", "--program-headers", "--wide", library],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    return sum(int(line.split()[5], 16) for line in output.splitlines() if "TLS" in line.split())


def use(library: str) -> None:
    """Runs a hundred tasks and unloads the library while its threads are there."""
    myrmidon = ctypes.CDLL(library)
    runs: list[int] = []
    body = BODY(lambda _: runs.append(1))
    for _ in range(100):
        myrmidon.myr_spawn_at(body, None, 0, None)
    myrmidon.myr_wait_all_at(None)
    assert len(runs) == 100, len(runs)
    _ctypes.dlclose(myrmidon._handle)


def main(library: str) -> int:
    size = tls_bytes(library)
    if size > TLS_BYTES_MAX:
        print(f"{size} bytes of thread-local variables: at most {TLS_BYTES_MAX} are for us")
        return 1
    for machine in ("serial", "smp:2", "tree:1+2"):
        os.environ["MYR_ON"] = machine
        child = os.fork()
        if child == 0:
            for _ in range(3):
                use(library)
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            print(f"on {machine}: ended with status {status}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
