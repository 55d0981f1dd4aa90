# SPDX-License-Identifier: Apache-2.0
"""The pages whose commands are run, in the order in which a reader would: what each needs that it
leaves to the reader, what it says of the output, and what is not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from commands import Command, Shell, commands_of

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 3600.0

OPENMP = """#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 1; i <= 100; ++i) sum += i;
  printf("sum %d\\n", sum);
  return 0;
}
"""
SPMD = """#include <myr/myr.h>
#include <myr/spmd.h>
#include <stdio.h>
int main(void) {
  printf("worker %u\\n", (unsigned)myr_worker_index());
  return 0;
}
"""


@dataclass(frozen=True)
class Page:
    name: str
    # Contents by name, of the page or the repository; what makes a program of them.
    files: dict[str, Callable[[str], str]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)  # the first command with the key
    # What a command prints that contains the first word.
    prints: tuple[tuple[str, str], ...] = ()


def fenced(language: str, index: int = 0) -> Callable[[str], str]:
    """The contents of one of a page's ``` blocks."""
    return lambda page: re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[index]


def text(contents: str) -> Callable[[str], str]:
    return lambda _: contents


def example(name: str) -> Callable[[str], str]:
    return lambda _: (ROOT / "examples" / name).read_text()


SUM = "2002000"
PAGES = (
    Page(
        "README.md",
        files={"program.cpp": fenced("cpp"), "openmp_program.c": text(OPENMP)},
        before={"./openmp_program": "gcc -fopenmp -o openmp_program openmp_program.c"},
        prints=(("./program", SUM), ("./openmp_program", "sum 5050"), ("myr machines", "smp:N")),
    ),
    Page("docs/user/install.md", prints=(("./program", SUM),)),
    Page(
        "docs/start/cpp.md",
        files={"first.cpp": fenced("cpp")},
        prints=(("./first", "78498 primes"),),
    ),
    Page(
        "docs/start/pragmas.md",
        files={"first.c": fenced("c")},
        prints=(("./first", "78498 primes"), ("./serial", "78498 primes")),
    ),
    Page(
        "docs/start/openmp.md",
        files={"first.c": fenced("c")},
        prints=(("./first", "2015.977"), ("--stats", "first.c:9")),
    ),
    Page(
        "docs/tutorial/1-calls.md",
        files={name: example(name) for name in ("heat.cpp", "heat_serial.cpp")},
        prints=(("./a.out", "34388.312"),),
    ),
    Page(
        "docs/tutorial/6-checking.md",
        files={"histogram.cpp": example("histogram.cpp")},
        prints=(("./checked", "no mistakes"), ("myr chaos", "20 runs")),
    ),
    Page(
        "docs/tutorial/7-speed.md",
        files={"sizes.cpp": example("sizes.cpp")},
        prints=(("./sizes", "1.999998"), ("--stats", "in tasks, ms")),
    ),
    Page(
        "docs/tutorial/8-clusters.md",
        files={"mandelbrot.cpp": example("mandelbrot.cpp")},
        prints=(("./mandelbrot", "15178 of"), ("--stats", "had to stay")),
    ),
    Page("docs/user/check.md", prints=(("./checked", SUM),)),
    Page(
        "docs/user/check-openmp.md",
        files={"program.c": text(OPENMP)},
        prints=(("./checked", "sum 5050"),),
    ),
    Page(
        "docs/user/observing.md",
        prints=(("./run tree", "in tasks, ms"), ("myr chaos", "20 runs")),
    ),
    Page(
        "docs/user/myrcc.md",
        files={"jacobi.c": fenced("c")},
        prints=(("./jacobi", "999000"),),
    ),
    Page("docs/user/clusters.md", prints=(("./program", SUM),)),
    Page(
        "docs/user/spmd.md",
        files={"program.c": text(SPMD)},
        before={"./program": "gcc -o program program.c $(pkg-config --cflags --libs myrmidon)"},
        prints=(("./program", "worker 3"),),
    ),
    Page(
        "docs/user/fortran.md",
        files={"program.f90": fenced("fortran")},
        prints=(("./program", "34388.312"),),
    ),
    Page(
        "docs/user/openmp.md",
        files={"program.c": text(OPENMP)},
        before={"./program": "gcc -g -fopenmp -o program program.c"},
        prints=(("./program", "sum 5050"), ("--stats", "program.c:4")),
    ),
)
# Run by others: by the tests themselves, and by `./dev mpi`, which starts a Slurm.
LEFT_OUT = ("./test ", "./dev ", "srun ", "sbatch ")
# What takes minutes: the short form has an installed build in place of what it makes.
SLOW = ("./run", "cmake ")


def is_left_out(command: Command, short: bool) -> bool:
    words = LEFT_OUT + (SLOW if short else ())
    return any(word in command.text for word in words)


def steps_of(page: Page, contents: str, short: bool) -> list[Command]:
    """The commands of the page, and before them what they need."""
    steps: list[Command] = []
    missing = dict(page.before)
    for command in commands_of(contents):
        if is_left_out(command, short):
            continue
        for word in [word for word in missing if word in command.text]:
            steps.append(Command(command.line, missing.pop(word)))
        steps.append(command)
    return steps


def fault_of(page: Page, command: Command, status: int, output: str) -> str:
    """What differs from the page; empty if nothing does."""
    if status != 0:
        return f"status {status}"
    program = command.text.split(" #")[0]
    expected = [shown for word, shown in page.prints if word in program]
    if command.shown:
        expected.append(command.shown)
    if not program.startswith(("g++", "gcc", "gfortran", "myrcc")) or command.shown:
        missing = [shown for shown in expected if shown not in output]
        if missing:
            return f"does not print {missing}"
    return ""


def run_page(page: Page, shell: Shell, folder: Path, short: bool) -> list[str]:
    """Runs the commands in a shell whose folder is that one; what went wrong."""
    contents = (ROOT / page.name).read_text()
    for name, content in page.files.items():
        (folder / name).write_text(content(contents))
    faults = []
    for command in steps_of(page, contents, short):
        status, output = shell.run(command.text, LIMIT_S)
        fault = fault_of(page, command, status, output)
        print(f"{'FAILED' if fault else 'passed'}  {page.name}:{command.line}: {command.text}")
        if fault:
            faults.append(f"{page.name}:{command.line}: {command.text}\n  {fault}\n{output}")
            print(output)
        if status == 124:
            break  # its shell is gone
    return faults


def environment(home: str, variables: dict[str, str]) -> dict[str, str]:
    """Of a user at home in that folder, who may be root, on a computer with few processors."""
    kept = {name: value for name, value in variables.items() if not name.startswith("MYR_")}
    openmpi = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    return kept | openmpi | {"HOME": home}


def run_pages(
    folder: Path, variables: dict[str, str], *, short: bool, inside: tuple[str, ...] = ()
) -> int:
    """Runs all pages in one shell, as one reader would, in that folder; the exit status.
    `inside`: words before the shell's own, which start it there."""
    shell = Shell(list(inside), str(folder), variables)
    faults = [fault for page in PAGES for fault in run_page(page, shell, folder, short)]
    shell.close()
    print(f"{len(PAGES)} pages, {len(faults)} commands that do not do what the page says")
    return 1 if faults else 0
