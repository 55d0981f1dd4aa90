# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages and has lintian check them. With --try, as root, it installs them on
a bare Debian 12, uses each, upgrades to a newer version, removes them, and sees that nothing stays.
Then it loads an install tree as a module there, by Environment Modules and by Lmod.

The packages are in build/debs/packages, the system in build/debs/system.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import bare_debian
from bare_debian import ROOT, run

BUILD = ROOT / "build/debs"
PACKAGES = BUILD / "packages"
NEWER = BUILD / "newer"
SYSTEM = BUILD / "system"
REVISIONS = {PACKAGES: "0.1", NEWER: "0.2"}
HOME = "/root"
SUM = "sum 67932000"  # of the programs of tests/install
# What users of the packages have beside them.
TOOLS = (
    "g++ gfortran cmake ninja-build pkg-config openmpi-bin mpich bash-completion man-db"
).split()


@dataclass(frozen=True)
class Step:
    """A line for the shell of the system, and what it prints, among other things."""

    command: str
    prints: str = ""


OPENMP = """
printf '#include <stdio.h>\\nint main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 100; ++i) sum += i;
  return printf("sum %%d\\\\n", sum) < 0;
}\\n' >omp.c"""
# Completion as bash does it for a line of two words whose second is empty.
COMPLETION = """bash -c '. /usr/share/bash-completion/bash_completion
. /usr/share/bash-completion/completions/myr
COMP_WORDS=(myr "") COMP_CWORD=1 COMP_LINE="myr " COMP_POINT=4; _myr; echo ${COMPREPLY[*]}'"""
USE = (
    Step("g++ -std=c++20 -O2 -o with_g++ project/sum.cpp $(pkg-config --cflags --libs myrmidon)"),
    Step("./with_g++", SUM),
    Step("gcc -std=c11 -o with_gcc project/sum.c $(pkg-config --cflags --libs myrmidon)"),
    Step("./with_gcc", SUM),
    Step("cmake -S project -B build -G Ninja && cmake --build build"),
    Step("build/sum_shared", SUM),
    Step("build/sum_static", SUM),
    Step("build/sum_c", SUM),
    Step("gfortran -O2 -o sum_f fortran/sum.f90 $(pkg-config --cflags --libs myrmidon-fortran)"),
    Step("./sum_f", SUM),
    Step("myrcc -o with_myrcc project/sum_pragma.c && ./with_myrcc", SUM),
    Step("myr run --on smp:2 ./with_g++", SUM),
    Step("MYR_MPI=openmpi myr run --on mpi:1+1 ./with_g++", SUM),
    Step("MYR_MPI=mpich myr run --on mpi:1+1 ./with_g++", SUM),
    Step("MYR_MPI=openmpi myr run --on mpi:1+1 build/sum_static", SUM),
    Step("myr check build/sum_checked", SUM),
    Step(OPENMP + " && gcc -fopenmp -o omp omp.c && myr omp --stats ./omp 2>&1", "sum 5050"),
    Step('eval "$(myr omp --install)"; ldd ./omp', "/myrmidon/libgomp.so.1"),
    Step("myr doctor", "Nothing is wrong"),
    Step("man myr | cat", "--suppressions FILE"),
    Step("man myrcc | cat", "--wrap COMPILER"),
    Step(COMPLETION, "run omp check"),
    Step("cat /usr/share/doc/myrmidon/docs/user/install.md", "# Installing Myrmidon"),
)
# Of the install tree in ~/tree.
MODULE = "module use ~/tree/share/modulefiles && module load myrmidon &&"
MODULE_STEPS = (
    Step(f"{MODULE} which myr", f"{HOME}/tree/bin/myr"),
    Step(f"{MODULE} myr doctor", "Nothing is wrong"),
    Step(
        f"{MODULE} g++ -std=c++20 -o with_module project/sum.cpp "
        "$(pkg-config --cflags --libs myrmidon) && ./with_module",
        SUM,
    ),
    Step(f"{MODULE} cmake -S project -B module -G Ninja && cmake --build module"),
    Step(f"{MODULE} ldd module/sum_shared", f"{HOME}/tree/lib"),
    Step(f"{MODULE} module unload myrmidon && echo $PATH:$LD_LIBRARY_PATH:", "/sbin:/bin::"),
    Step(f"{MODULE} module help myrmidon 2>&1", "pkg-config and CMake"),
)
# Where each program that loads modules says what a shell needs.
MODULES = {
    "environment-modules": "/usr/share/modules/init/bash",
    "lmod": "/usr/share/lmod/lmod/init/bash",
}
# Logs tell what was, and man keeps pages that somebody has read.
STAYS = r"""find / -xdev \( -iname '*myrm*' -o -name 'myr.*' -o -name 'myrcc*' -o -name myr \) \
  -not -path '/root/*' -not -path '/var/log/*' -not -path '/var/cache/man/*'
ldconfig -p | grep -i myrm
dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' '*myrmidon*' 2>/dev/null | grep -v ^un; true"""


def build(folders: list[Path]) -> None:
    """The packages of these folders. They differ in their revision only."""
    launchers = []
    if shutil.which("ccache"):
        launchers = [f"-DCMAKE_{one}_COMPILER_LAUNCHER=ccache" for one in ("C", "CXX")]
    for folder in folders:
        words = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_INSTALL_PREFIX=/usr"]
        run(
            *words,
            "-DCMAKE_BUILD_TYPE=Release",
            f"-DMYR_DEB_REVISION={REVISIONS[folder]}",
            *launchers,
        )
        run("cmake", "--build", BUILD)
        bare_debian.clear(folder)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
        shutil.rmtree(folder / "_CPack_Packages")


def names() -> list[str]:
    return sorted(path.name.split("_")[0] for path in PACKAGES.glob("*.deb"))


class Debian:
    """The bare system, with the packages and the programs that use them in the user's home."""

    def __init__(self) -> None:
        bare_debian.make_system(SYSTEM)
        home = Path(f"{SYSTEM}{HOME}")
        shutil.copytree(ROOT / "tests/install/project", home / "project")
        shutil.copytree(ROOT / "tests/install/fortran", home / "fortran")
        run("cmake", "--install", BUILD, "--prefix", home / "tree")
        for folder in REVISIONS:
            shutil.copytree(folder, home / folder.name)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.variables = bare_debian.variables() | root | {"HOME": HOME, "MANPAGER": "cat"}
        self.faults = 0

    def shell(self, command: str) -> tuple[int, str]:
        words = [*bare_debian.shell_words(SYSTEM, HOME), "bash", "-c", command]
        done = subprocess.run(
            words,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def step(self, step: Step) -> None:
        status, text = self.shell(step.command)
        is_right = status == 0 and step.prints in text
        print(f"{'passed' if is_right else 'FAILED'}  {step.command.strip()}", flush=True)
        if not is_right:
            print(f"status {status}, expected: {step.prints}\n{text}")
            self.faults += 1

    def install(self, *what: str) -> None:
        apt = "DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install"
        self.step(Step(f"{apt} {' '.join(what)}"))

    def version_is(self, revision: str) -> None:
        said = f"dpkg-query -W -f '${{Version}}\\n' {' '.join(names())} | sort -u | sed 's/.*-//'"
        self.step(Step(f'test "$({said})" = {revision}'))

    def nothing_stays(self) -> None:
        _, text = self.shell(STAYS)
        print(f"{'FAILED' if text else 'passed'}  nothing stays", flush=True)
        if text:
            print(text)
            self.faults += 1


def try_packages() -> int:
    """How many steps went wrong."""
    debian = Debian()
    debian.step(Step("apt-get -q update"))
    debian.install(*TOOLS)
    debian.install(f"./{PACKAGES.name}/*.deb")
    debian.version_is(REVISIONS[PACKAGES])
    for step in USE:
        debian.step(step)
    debian.install(f"./{NEWER.name}/*.deb")
    debian.version_is(REVISIONS[NEWER])
    for step in USE:
        if step.prints == SUM:
            debian.step(step)
    debian.step(Step(f"dpkg --purge {' '.join(names())}"))
    for package, shell in MODULES.items():  # what myr needs of other packages is there still
        debian.install(package)
        for step in MODULE_STEPS:
            debian.step(Step(f". {shell}; {step.command}", step.prints))
    debian.step(Step("apt-get -q -y --purge autoremove"))
    debian.nothing_stays()
    return debian.faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev debs", description=__doc__)
    parser.add_argument("--try", dest="tries", action="store_true", help="on a bare Debian")
    parser.add_argument("--keep", action="store_true", help="leaves that system there")
    arguments = parser.parse_args()
    missing = bare_debian.what_is_missing()
    if arguments.tries and missing:
        print(f"debs: {missing}", file=sys.stderr)
        return 2
    build([NEWER, PACKAGES] if arguments.tries else [PACKAGES])
    allow_root = ["--allow-root"] if os.geteuid() == 0 else []
    run("lintian", "--fail-on", "error,warning", *allow_root, *sorted(PACKAGES.glob("*.deb")))
    print(f"{len(names())} packages in {PACKAGES.relative_to(ROOT)}, without complaints of lintian")
    if not arguments.tries:
        return 0
    faults = try_packages()
    if not arguments.keep:
        shutil.rmtree(SYSTEM)
    print(f"{faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
