# SPDX-License-Identifier: Apache-2.0
"""Programs of OpenMP on Myrmidon's libgomp.so.1: each construct with several numbers of threads,
and what happens around regions. Also the command `myr omp`, and what the library exports.

Usage: test_omp.py BUILD_FOLDER
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

SECONDS_MAX = 60
# A child of fork() opens regions; a program that is over need not wait for more reports.
TSAN_OPTIONS = "die_after_fork=0:atexit_sleep_ms=0:halt_on_error=1"

LIFE = (
    "fork", "fork-inside", "fork-beside", "threads", "unload", "signals", "exit", "main-exits",
    "early-tasks", "chain", "signals-at-start",
)  # fmt: skip


class Omp(unittest.TestCase):
    build: Path
    sanitized: bool

    def run_program(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        library = str(self.build / "lib" / "openmp")
        clean = {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "GOMP_"))}
        return subprocess.run(
            [str(word) for word in words],
            env={**clean, "LD_LIBRARY_PATH": library, "TSAN_OPTIONS": TSAN_OPTIONS, **variables},
            capture_output=True, text=True, check=False, timeout=SECONDS_MAX,
        )  # fmt: skip

    def passes(self, *words: object, **variables: str) -> str:
        result = self.run_program(*words, **variables)
        self.assertEqual(result.returncode, 0, result)
        return result.stdout + result.stderr

    def programs(self, *names: str) -> list[Path]:
        """Those of these that could be built: some need clang."""
        return [path for name in names if (path := self.build / "bin" / name).exists()]

    def test_every_construct_with_any_number_of_threads(self) -> None:
        for program in self.programs("omp_program", "omp_clang_program", "omp_clang_clang"):
            for threads in ("1", "2", "4", "8"):
                for policy in ("passive", "active"):
                    with self.subTest(program=program.name, threads=threads, policy=policy):
                        self.passes(program, OMP_NUM_THREADS=threads, OMP_WAIT_POLICY=policy,
                                    OMP_CANCELLATION="true")  # fmt: skip

    def test_life(self) -> None:
        plugin = next(self.build.glob("lib/libomp_plugin.*"))
        # A child may begin with a lock of the sanitizer's allocator that another thread holds; and
        # a handler in a thread without a region reads where it was while that is made anew.
        skipped = {"asan": {"fork-beside"}, "tsan": {"fork-beside", "signals-at-start"}}
        cases = [case for case in LIFE if case not in skipped.get(self.build.name, ())]
        for program in self.programs("omp_life", "omp_clang_life", "omp_linked_by_clang"):
            for case in cases:
                with self.subTest(case, program=program.name):
                    self.passes(program, case, plugin)

    def test_a_full_stack_is_told_with_the_variable_that_helps(self) -> None:
        if self.sanitized:
            self.skipTest("the sanitizer handles the signal")
        for program in self.programs("omp_life", "omp_clang_life"):
            result = self.run_program(program, "deep", OMP_STACKSIZE="256K")
            self.assertEqual(result.returncode, -signal.SIGSEGV)
            self.assertIn("256 KiB, is full", result.stderr)
            self.assertIn("OMP_STACKSIZE=1M", result.stderr)
            result = self.run_program(program, "large", OMP_STACKSIZE="8M")
            self.assertEqual(result.returncode, -signal.SIGSEGV)
            self.assertIn("8192 KiB, is full", result.stderr)
            self.assertIn("OMP_STACKSIZE=32M", result.stderr)
            for case in ("deep-first", "deep-alone", "deep-task"):
                result = self.run_program(program, case)
                self.assertEqual(result.returncode, -signal.SIGSEGV, result)
                self.assertIn("first thread, ", result.stderr)
                self.assertIn("ulimit -s", result.stderr)
            result = self.run_program(program, "own-handler")
            self.assertEqual((result.returncode, result.stderr), (7, "the program's own handler\n"))

    def test_libomptarget_finds_what_it_needs(self) -> None:
        for program in self.programs("omp_clang_target"):
            self.passes(program)

    def test_a_process_with_programs_of_both_compilers_has_one_runtime(self) -> None:
        """The plugin is gcc's; what loads it, clang's."""
        plugin = next(self.build.glob("lib/libomp_plugin.*"))
        for program in self.programs("omp_clang_life"):
            self.passes(program, "maps", plugin)

    def test_the_environment_is_shown_and_mistakes_in_it_are_named(self) -> None:
        program = self.build / "bin" / "omp_program"
        shown = self.passes(program, OMP_DISPLAY_ENV="true", OMP_SCHEDULE="guided,4",
                            OMP_NUM_THREADS="3,2", OMP_STACKSIZE="16M")  # fmt: skip
        for line in ("OMP_SCHEDULE = 'GUIDED,4'", "OMP_NUM_THREADS = '3,2'",
                     "OMP_STACKSIZE = '16777216'"):  # fmt: skip
            self.assertIn(line, shown)
        bound = self.passes(program, OMP_DISPLAY_ENV="verbose", OMP_PROC_BIND="true",
                            OMP_WAIT_POLICY="passive")  # fmt: skip
        self.assertRegex(bound, r"OMP_PLACES = '(\{\d+\},?)+'")
        self.assertIn("GOMP_SPINCOUNT = '0'", bound)
        self.assertIn("BEGIN", self.passes(program, OMP_DISPLAY_ENV=" True "))
        self.assertNotIn("BEGIN", self.passes(program, OMP_DISPLAY_ENV="false"))

    def test_mistakes_in_variables_are_named(self) -> None:
        program = self.build / "bin" / "omp_life"
        for name, values in (
            ("OMP_SCHEDULE", ("fast",)), ("OMP_TARGET_OFFLOAD", ("sometimes", "")),
            ("OMP_DISPLAY_ENV", ("maybe", "verbosely")), ("OMP_DYNAMIC", ("perhaps",)),
            ("OMP_WAIT_POLICY", ("actively",)),
            ("GOMP_SPINCOUNT", ("much", "-1", "3x", "3kk", "99999999999999999999T", "infinitely")),
            ("OMP_PROC_BIND", ("true,close", "spread,false", "near", "close,")),
        ):  # fmt: skip
            for value in values:
                with self.subTest(name=name, value=value):
                    shown = self.passes(program, "threads", **{name: value})
                    self.assertIn(f"Invalid value for environment variable {name}: {value}", shown)
        for name, value in (("OMP_TARGET_OFFLOAD", " Default "), ("GOMP_SPINCOUNT", " 3 k "),
                            ("GOMP_SPINCOUNT", "INFINITE"), ("OMP_PROC_BIND", "spread,close"),
                            ("OMP_DISPLAY_ENV", "0")):  # fmt: skip
            with self.subTest(name=name, value=value):
                self.assertEqual(self.passes(program, "threads", **{name: value}), "")

    def test_mistakes_in_places_are_named(self) -> None:
        program = self.build / "bin" / "omp_life"
        for places, why in (
            ("{0}:100000000", "lengths are from 1"), ("{0}:0", "lengths are from 1"),
            ("!{0}", "not in the list"), ("{0:2},!{1}", "not in the list"),
            ("{0}:2:-1", "have the numbers 0 to"), ("{0}:2:9223372036854775807", "numbers"),
            ("{0", "closing brace"), ("{0},", "a place is missing"), ("threads(0)", "at least 1"),
            ("threads(1) x", "behind its end"), ("towns", "the names are threads, cores"),
            ("{1023}", "may use none"), ("", "a place is missing"),
        ):  # fmt: skip
            with self.subTest(places):
                shown = self.passes(program, "threads", OMP_PLACES=places)
                self.assertIn(f"OMP_PLACES: {places}: ", shown)
                self.assertIn(why, shown)
        for places in ("{0}", " { 0 } : 1 , {0} ", "0", "{0:3:1,!1}", "threads(1)", "NUMA_DOMAINS"):
            with self.subTest(places):
                self.assertEqual(self.passes(program, "threads", OMP_PLACES=places), "")
        for places in ("{0}", "{0},{1}", "{0},{1},{0},{1},{0}"):
            for one in self.programs("omp_program", "omp_clang_program"):
                self.passes(one, OMP_PLACES=places, OMP_NUM_THREADS="3")
        shown = self.passes(program, "threads", OMP_PLACES="{0},{1023}")
        self.assertIn("Of the 2 places {0},{1023} this process can use only 1", shown)
        self.assertIn("least that a stack", self.passes(program, "threads", OMP_STACKSIZE="1"))

    def test_variables_of_llvm_are_honoured_or_named(self) -> None:
        program = self.build / "bin" / "omp_life"

        def settings(**variables: str) -> str:
            return self.passes(program, "threads", OMP_DISPLAY_ENV="true", **variables)

        for value, bind, places in (
            ("compact", "CLOSE", "cores"), ("granularity=fine,scatter", "SPREAD", "threads"),
            ("verbose,explicit,proclist=[0,{0,1},0-1]", "CLOSE", "0,{0,1},{0}:2"),
            ("granularity=core", "FALSE", ""), ("none", "FALSE", ""),
            ("compact,1,0", "CLOSE", "cores"),
        ):  # fmt: skip
            with self.subTest(value):
                shown = settings(KMP_AFFINITY=value)
                self.assertIn(f"OMP_PROC_BIND = '{bind}'", shown)
                self.assertIn(f"OMP_PLACES = '{places}'", shown)
        both = settings(KMP_AFFINITY="compact", OMP_PROC_BIND="spread", KMP_ALL_THREADS="7",
                        KMP_BLOCKTIME="infinite")  # fmt: skip
        for line in ("OMP_PROC_BIND = 'SPREAD'", "OMP_THREAD_LIMIT = '7'",
                     "OMP_WAIT_POLICY = 'ACTIVE'"):  # fmt: skip
            self.assertIn(line, both)
        self.assertIn("KMP_AFFINITY: near", settings(KMP_AFFINITY="near"))
        self.assertIn("KMP_HW_SUBSET is ignored", settings(KMP_HW_SUBSET="1c"))
        self.assertNotIn("ignored", settings(KMP_HW_SUBSET="1c", KMP_WARNINGS="0"))
        self.assertNotIn("ignored", settings(KMP_DUPLICATE_LIB_OK="TRUE"))

    def test_a_race_free_program_has_no_reports_of_thread_sanitizer(self) -> None:
        names = ("omp_tsan_program", "omp_clang_tsan_program", "omp_clang_tsan_clang")
        for program in self.programs(*names):
            for threads in ("2", "4"):
                with self.subTest(program=program.name, threads=threads):
                    self.passes(program, OMP_NUM_THREADS=threads, OMP_CANCELLATION="true")

    def test_a_race_is_still_reported(self) -> None:
        for program in self.programs("omp_tsan_race"):
            self.assertIn("data race", self.run_program(program).stderr)

    def test_myr_omp_brings_the_library(self) -> None:
        if self.sanitized:
            self.skipTest("a sanitizer's library wants to be the first that is loaded")
        command = [self.build / "bin" / "myr", "omp"]
        for program in self.programs("omp_program", "omp_clang_program"):
            self.passes(*command, program, LD_LIBRARY_PATH="")
        mapped = self.passes(*command, "cat", "/proc/self/maps", LD_LIBRARY_PATH="")
        self.assertIn("openmp/libgomp.so.1", mapped)

    def observe(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.run_program(
            self.build / "bin" / "myr", "omp", *words, OMP_NUM_THREADS="2", LD_LIBRARY_PATH=""
        )

    def test_statistics_name_lines(self) -> None:
        if self.sanitized:
            self.skipTest("myr omp is not for these")
        source = Path(__file__).with_name("stats.c")
        lines = source.read_text().splitlines()
        wanted = {  # by the word at the end of a line
            name: next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {name}"))
            for name in ("region", "loop", "task")
        }
        for program in self.programs("omp_stats", "omp_clang_stats"):
            result = self.observe("--stats", program)
            self.assertEqual((result.returncode, result.stdout), (0, "sum 4950\n"), result)
            for name, times in (("region", 5), ("loop", 10), ("task", 35)):
                # The compiler says the line of the pragma, or that of what it stands for.
                at = "|".join(str(wanted[name] + after) for after in range(3))
                self.assertRegex(result.stderr, rf"(?m)^{name} +{times} .*stats\.c:({at})$")

    def test_timelines_name_lines_and_threads(self) -> None:
        if self.sanitized:
            self.skipTest("myr omp is not for these")
        for program in self.programs("omp_stats", "omp_clang_stats"):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "timeline.json"
                result = self.observe("--trace", file, program)
                self.assertEqual((result.returncode, result.stderr), (0, ""), result)
                events = json.loads(file.read_text())["traceEvents"]
            boxes = [event for event in events if event.get("cat") == "task"]
            counts = Counter(box["name"].split(" (stats.c:")[0] for box in boxes)
            self.assertEqual(counts, {"region": 10, "loop": 10, "task": 35})
            self.assertEqual({box["tid"] for box in boxes if box["name"].startswith("region")},
                             {0, 1})  # fmt: skip
            self.assertLessEqual({e["name"] for e in events if e.get("cat") == "idle"},
                                 {"wait", "idle", "asleep"})  # fmt: skip

    def test_a_program_without_openmp_leaves_a_timeline(self) -> None:
        if self.sanitized:
            self.skipTest("myr omp is not for these")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "timeline.json"
            self.assertEqual(self.observe("--trace", file, "true").returncode, 0)
            self.assertIn("traceEvents", json.loads(file.read_text()))
            stats = self.build / "bin" / "omp_stats"
            self.observe("--trace", file, "sh", "-c", f"true; {stats}; true")
            self.assertIn("stats.c", file.read_text())

    def test_a_timeline_that_cannot_be_written_is_refused_at_once(self) -> None:
        if self.sanitized:
            self.skipTest("myr omp is not for these")
        for name, why in (("timeline.txt", "ends neither in .json"),
                          ("nowhere/timeline.json", "cannot write")):  # fmt: skip
            result = self.observe("--trace", f"/{name}", self.build / "bin" / "omp_stats")
            self.assertEqual((result.returncode, result.stdout), (2, ""), result)
            self.assertIn(why, result.stderr)

    def test_another_runtime_in_the_process(self) -> None:
        """As Python's wheels do it: a copy of Debian's library under a name of its own."""
        if self.sanitized:
            self.skipTest("the program is not built with sanitizers")
        plugin = next(self.build.glob("lib/libomp_plugin.*"))
        stock = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE,
                               text=True, check=True).stdout.strip()  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            for file, copy in ((plugin, "plugin.so"), (Path(stock), "libgomq.so.1")):
                renamed = file.read_bytes().replace(b"libgomp.so.1", b"libgomq.so.1")
                (Path(folder) / copy).write_bytes(renamed)
            ours = self.build / "lib" / "openmp"
            maps = self.passes(self.build / "bin" / "omp_runtimes", plugin,
                               Path(folder) / "plugin.so", OMP_NUM_THREADS="3",
                               LD_LIBRARY_PATH=f"{ours}:{folder}")  # fmt: skip
        self.assertIn(f"{ours}/libgomp.so.1", maps)
        self.assertIn("/libgomq.so.1", maps)

    def test_all_symbols_that_compilers_call_are_there(self) -> None:
        listed = Path(__file__).with_name("symbols.txt").read_text().split()
        library = self.build / "lib" / "openmp" / "libgomp.so.1"
        self.assertEqual(set(listed) - self.exports(library), set())

    def test_all_symbols_of_llvms_library_but_some_are_there(self) -> None:
        """docs/user/openmp.md names the exceptions."""
        theirs = Path("/usr/lib/llvm-19/lib/libomp.so.5")
        if not theirs.exists():
            self.skipTest("LLVM's library is not installed")
        left_out = re.compile(
            r"_+kmp_|kmp_(\w_debug|diag|max_|mutex_|set_thread_aff|threadprivate_|get_num_known)"
            r"|__kmpc_(sections_init|next_section|end_sections|for_collapsed|process_loop_nest"
            r"|calc_original|push_num_threads_list|get_(parent_)?taskid|pause_resource"
            r"|threadprivate_register_vec|task_get_)|omp_(\w+_mem_(alloc|space)|null_allocator)@"
            r"|ompt_"
        )
        ours = self.exports(self.build / "lib" / "openmp" / "libgomp.so.1")
        missing = self.exports(theirs) - ours
        self.assertEqual({name for name in missing if not left_out.match(name)}, set())

    @staticmethod
    def exports(library: Path) -> set[str]:
        found = subprocess.run(
            ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)],
            stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
        return {line.split()[0].replace("@@", "@") for line in found.splitlines()}


if __name__ == "__main__":
    Omp.build = Path(sys.argv.pop())
    Omp.sanitized = Omp.build.name in ("asan", "tsan")
    unittest.main()
