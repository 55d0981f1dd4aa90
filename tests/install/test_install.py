# SPDX-License-Identifier: Apache-2.0
"""Installs a build into an empty folder and builds the project beside this file against it, through
find_package() and through pkg-config; then one that has the sources as a part of it, with what
packages there are and without any. All programs must print the same on every machine. What CMake
says to each option.

Usage: test_install.py BUILD_FOLDER
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).with_name("project")
SOURCES = PROJECT.parents[2]
PAGE = SOURCES / "docs/user/install.md"
EXPECTED = "sum 67932000\n"  # 1000 * 999 / 2 for a block, times 1 + 2 + ... + 16
MACHINES = ("serial", "smp:2")
# The library is compiled once for all such projects, and quickly.
EMBEDDED = (
    f"-DSUM={PROJECT}/sum.cpp",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
    "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
)


def output(*command: object, **variables: str) -> str:
    """What a command prints; its errors go to the test's output."""
    words = [str(word) for word in command]
    return subprocess.run(
        words, env=os.environ | variables, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


class Install(unittest.TestCase):
    build: Path
    folder: TemporaryDirectory[str]
    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        first = Path(cls.folder.name) / "first"
        output("cmake", "--install", cls.build, "--prefix", first)
        cls.prefix = first.rename(first.with_name("moved"))  # an install tree may be moved
        cls.library_folder = next(cls.prefix.glob("**/libmyrmidon.so")).parent

    def check(self, program: Path) -> None:
        for machine in MACHINES:
            self.assertEqual(
                output(program, MYR_ON=machine, LD_LIBRARY_PATH=str(self.library_folder)), EXPECTED
            )

    def test_cmake_package(self) -> None:
        build = Path(self.folder.name) / "cmake"
        output(
            "cmake", "-S", PROJECT, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}"
        )
        output("cmake", "--build", build)
        for name in ("sum_shared", "sum_static", "sum_c"):
            with self.subTest(name):
                self.check(build / name)
                self.check_on_mpi(self.prefix / "bin" / "myr", build / name)

        if any(self.prefix.glob("**/check/libtsan.so.2")):
            self.assertEqual(
                output(self.prefix / "bin" / "myr", "check", build / "sum_checked"), EXPECTED
            )

    def test_fortran(self) -> None:
        if not any(self.prefix.glob("**/libmyrmidon-fortran.a")):
            self.skipTest("there is no gfortran")
        build = Path(self.folder.name) / "fortran"
        output(
            "cmake", "-S", PROJECT.with_name("fortran"), "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
        )  # fmt: skip
        output("cmake", "--build", build)
        self.check(build / "sum_fortran")
        search = str(self.library_folder / "pkgconfig")
        options = output(
            "pkg-config", "--cflags", "--libs", "myrmidon-fortran", PKG_CONFIG_PATH=search
        )
        program = Path(self.folder.name) / "with_gfortran"
        source = PROJECT.with_name("fortran") / "sum.f90"
        output(
            "gfortran", "-O3", "-Wall", "-Werror", f"-J{build}", source, *shlex.split(options),
            "-o", program,
        )  # fmt: skip
        self.check(program)

    def check_on_mpi(self, myr: Path, program: Path) -> None:
        for mpi in ("openmpi", "mpich"):
            if (self.build / f"lib/libmyrmidon-{mpi}.so").exists():
                path = str(self.library_folder)
                words = (myr, "run", "--on", "mpi:1+1", program)
                self.assertEqual(output(*words, MYR_MPI=mpi, LD_LIBRARY_PATH=path), EXPECTED)

    def part_of_another_project(self, word: str) -> tuple[Path, list[str]]:
        """The build folder of a project that has Myrmidon as the page shows it, in the block with
        that word, and the words that configure it."""
        blocks = re.findall(r"^```cmake\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        (block,) = [block for block in blocks if word in block]
        project = Path(self.folder.name) / word
        shutil.copytree(PROJECT.with_name("embedded"), project)
        (project / "block.cmake").write_text(block)
        (project / "third_party").mkdir()
        (project / "third_party/myrmidon").symlink_to(SOURCES)
        build = project / "build"
        return build, ["cmake", "-S", str(project), "-B", str(build), "-G", "Ninja", *EMBEDDED]

    def test_part_of_another_project(self) -> None:
        """First without any package; then, in the same folder, with those that there are."""
        build, configure = self.part_of_another_project("FetchContent_Declare")
        output(*configure, "-DBARE=ON")
        output("cmake", "--build", build, "--target", "program")
        self.check(build / "program")

        output(*configure, "-DBARE=OFF")
        output("cmake", "--build", build, "--target", "all", "myr")
        self.check(build / "program")
        myr = build / "_deps/myrmidon-build/bin/myr"
        self.assertEqual(output(myr, "run", "--on", "smp:2", build / "program"), EXPECTED)

    def test_subdirectory_of_another_project(self) -> None:
        build, configure = self.part_of_another_project("add_subdirectory")
        output(*configure)
        would_run = output("cmake", "--build", build, "--target", "program", "--", "-n")
        self.assertIn("libmyrmidon.so", would_run)
        self.assertIn("Linking CXX executable program", would_run)

    def configure(self, *options: str) -> str:
        """What CMake says, without a preset, of these options."""
        build = Path(self.folder.name) / "configured"
        shutil.rmtree(build, ignore_errors=True)
        words = ["cmake", "-S", str(SOURCES), "-B", str(build), *options]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_all_options_without_presets(self) -> None:
        self.assertEqual(self.configure(), "")
        names = ("MODEL", "HW", "BENCH", "KERNELS", "ONE_THREAD_TESTS", "CHECKED")
        self.assertEqual(self.configure(*(f"-DMYR_{name}=ON" for name in names)), "")
        self.assertEqual(self.configure("-DMYR_TRANSLATE=OFF", "-DMYR_UNITY=OFF"), "")

    def test_what_is_not_built_is_said(self) -> None:
        said = self.configure("-DMYR_CLANG_INCLUDE=", "-DMYR_CLANG_LIBRARY=")
        self.assertIn("myrcc is not built: it needs the packages libclang-19-dev", said)
        self.assertNotIn("myr is not built", said)
        missing = ("CLI11", "PkgConfig", "Python3")
        said = self.configure(*(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in missing))
        self.assertIn("myr is not built: it needs the packages libcli11-dev", said)
        self.assertIn("Open MPI is not supported: it needs the packages libopenmpi-dev", said)
        self.assertIn("MPICH is not supported: it needs the packages libmpich-dev", said)
        self.assertIn("Man pages and completions are not made: they need the package python3", said)

    def test_pkg_config(self) -> None:
        search = str(self.library_folder / "pkgconfig")
        shared = shlex.split(
            output("pkg-config", "--cflags", "--libs", "myrmidon", PKG_CONFIG_PATH=search)
        )
        for compiler, source in (("g++", "sum.cpp"), ("gcc", "sum.c")):
            with self.subTest(compiler):
                program = Path(self.folder.name) / f"with_{compiler}"
                standard = "-std=c++20" if compiler == "g++" else "-std=c11"
                output(
                    compiler, standard, "-Wall", "-Werror", PROJECT / source, *shared, "-o", program
                )
                self.check(program)

    def test_compiler_driver(self) -> None:
        for source in ("sum_pragma.c", "sum_pragma.cpp"):
            with self.subTest(source):
                program = Path(self.folder.name) / f"{source}_program"
                output(
                    self.prefix / "bin" / "myrcc",
                    "-Wall",
                    "-Werror",
                    PROJECT / source,
                    "-o",
                    program,
                )
                for machine in MACHINES:
                    self.assertEqual(output(program, MYR_ON=machine), EXPECTED)

    def test_command(self) -> None:
        self.assertIn("smp", output(self.prefix / "bin" / "myr", "machines"))
        self.assertIn("compiles and runs", output(self.prefix / "bin" / "myr", "doctor"))


if __name__ == "__main__":
    Install.build = Path(sys.argv.pop(1))
    unittest.main()
