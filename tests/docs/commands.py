# SPDX-License-Identifier: Apache-2.0
"""The commands that a page shows, and a shell that runs them one after the other.

A block that is indented by four spaces, outside of ``` fences, shows commands if its first line
begins with a program that pages name, perhaps after variables. Each line of it is one command. A
comment behind a command that ends with a number shows what the command prints.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

INDENT = "    "
PROGRAMS = (
    "cmake",
    "export",
    "for",
    "g++",
    "gcc",
    "gfortran",
    "mpirun",
    "myr",
    "myrcc",
    "sbatch",
    "srun",
)
COMMAND = re.compile(rf"(?:[A-Z_]+=\S* )*(?:\./|(?:{'|'.join(map(re.escape, PROGRAMS))}) )")
SHOWN = re.compile(r" # (?:.*: )?(\d+\.\d+)$")
END = "end of command"


@dataclass(frozen=True)
class Command:
    line: int
    text: str

    @property
    def shown(self) -> str | None:
        """What the page says that it prints."""
        found = SHOWN.search(self.text)
        return found[1] if found else None


def commands_of(page: str) -> list[Command]:
    found: list[Command] = []
    is_fenced = False
    in_block = False  # of commands
    begins = True  # a block may, in the next line
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            is_fenced = not is_fenced
        if is_fenced or not line.startswith(INDENT):
            begins = begins if is_fenced else True
            in_block = False
            continue
        text = line.removeprefix(INDENT)
        if begins:
            in_block = COMMAND.match(text) is not None
            begins = False
        if in_block:
            found.append(Command(number, text))
    return found


class Shell:
    """One bash, in which each command finds what those before have left behind."""

    def __init__(self, words: list[str], folder: str, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*words, "bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def run(self, text: str, limit_s: float) -> tuple[int, str]:
        """The status and the output of a command; status 124 if it takes longer than the limit."""
        assert self.process.stdin is not None and self.process.stdout is not None
        watch = threading.Timer(limit_s, os.killpg, (self.process.pid, signal.SIGKILL))
        watch.start()
        try:
            # The command does not read what comes behind it.
            self.process.stdin.write(f"{{ {text}\n}} </dev/null\nprintf '\\n{END} %s\\n' $?\n")
            self.process.stdin.flush()
            output = ""
            for line in self.process.stdout:
                if line.startswith(END):
                    return int(line.split()[-1]), output.removesuffix("\n")
                output += line
        finally:
            watch.cancel()
        return 124, output

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for command in commands_of(file.read()):
                print(f"{name}:{command.line}: {command.text}")
