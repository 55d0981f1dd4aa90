# SPDX-License-Identifier: Apache-2.0
"""The `myr` command as its users meet it: options, exit statuses, messages.

Usage: test_myr.py PROGRAM
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class Myr(unittest.TestCase):
    program: str

    def myr(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        return subprocess.run(
            [self.program, *words],
            env=clean | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def fails(self, status: int, message: str, *words: str, **variables: str) -> None:
        result = self.myr(*words, **variables)
        self.assertEqual(result.returncode, status, result)
        self.assertIn(message, result.stderr)

    def test_options_reach_the_program(self) -> None:
        result = self.myr("run", "--on", "smp:3", "--stats", "--trace=t.json",
                          "--graph", "g.dot", "env")  # fmt: skip
        found = {line for line in result.stdout.splitlines() if line.startswith("MYR_")}
        expected = {
            "MYR_ON=smp:3",
            "MYR_STATS=1",
            "MYR_TRACE=t.json",
            "MYR_GRAPH=g.dot",
        }
        self.assertEqual(found, expected)

    def test_nothing_is_set_without_options(self) -> None:
        self.assertNotIn("MYR_", self.myr("run", "env").stdout)

    def test_the_programs_options_are_its_own(self) -> None:
        self.assertEqual(self.myr("run", "echo", "-n", "--stats", "--", "x").stdout, "--stats -- x")
        self.assertEqual(self.myr("run", "--stats", "--", "echo", "a").stdout, "a\n")

    def test_status_and_signal_pass_through(self) -> None:
        self.assertEqual(self.myr("run", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.myr("run", "sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_help_of_run_names_all_kinds_of_machines(self) -> None:
        script = Path(__file__).resolve().parents[2] / "run"
        result = subprocess.run(
            [script, "--help"], capture_output=True, text=True, check=True, timeout=60
        )
        self.assertEqual(result.stderr, "")
        for machine in ("serial", "smp", "smp:4", "tree:1+3", "tree:2x3", "sim:formic-520"):
            self.assertIn(f"MYR_ON={machine} ", result.stdout)

    def test_machines(self) -> None:
        result = json.loads(self.myr("machines", "--json").stdout)
        names = [machine["name"] for machine in result["machines"]]
        jobs = ["mpi:S+W", "spmd:S+W"]
        trees = ["tree:S+W", "tree:AxB", "master:1+W", *jobs, "sim:CHIP", "sim:CHIP:S+W"]
        self.assertEqual(names, ["serial", "smp", "smp:N", *trees, "sim:scc-48", "sim:scc-48-tree"])
        self.assertIn(result["default"], self.myr("machines").stdout)

    def test_misuse(self) -> None:
        self.fails(127, "cannot run ./nothing: no such program", "run", "./nothing")
        self.fails(126, "cannot run /: Permission denied", "run", "/")
        self.fails(2, "no program was given", "run", "--stats")
        self.fails(2, "--bogus", "run", "--bogus", "echo")
        self.fails(2, "MACHINE", "run", "--on")
        self.fails(2, "no command was given")
        self.fails(2, "bogus", "bogus")

    def test_a_bad_machine_is_refused_before_the_program_runs(self) -> None:
        for name in (
            "",
            "smp:",
            "smp:0",
            "smp:1025",
            "smp:2x",
            "smp:-1",
            "SMP",
            "tree:1+0",
            "smp: 2",
        ):
            with self.subTest(name):
                self.fails(2, "myr: run: --on: ", "run", "--on", name, "echo")

    def test_the_machine_of_the_environment_is_taken_as_the_options_is(self) -> None:
        self.assertEqual(self.myr("run", "echo", "a", MYR_ON="smp:2").stdout, "a\n")
        self.assertEqual(self.myr("run", "echo", "a", MYR_ON="").stdout, "a\n")
        self.fails(2, "myr: run: MYR_ON: ", "run", "echo", MYR_ON="smp:0")
        # What MPI needs is looked for before anything runs.
        said = "myr: run: MYR_ON: no launcher of mpich is on PATH: install the package mpich"
        nowhere = {"MYR_ON": "mpi:1+1", "MYR_MPI": "mpich", "PATH": ""}
        self.fails(2, said, "run", "/bin/echo", **nowhere)
        self.fails(2, "MYR_MPI: 'lam' is unknown", "run", "echo", MYR_ON="mpi:1+1", MYR_MPI="lam")

    def test_a_program_without_the_runtime_is_named(self) -> None:
        echo, python = "/bin/echo", sys.executable
        said = f"myr: note: {echo} does not use Myrmidon"
        self.assertIn(said, self.myr("run", "--stats", echo).stderr)
        self.assertIn(f"{echo} loads neither libgomp nor", self.myr("omp", echo).stderr)
        # Scripts and programs that load libraries when they run may use them.
        for command in ("run", "omp"):
            self.assertEqual(self.myr(command, python, "-c", "").stderr, "")
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "a.c"), f"{folder}/it's"
            source.write_text("int main(void) { return 0; }")
            subprocess.run(["gcc", "-static", source, "-o", program], check=True)
            self.assertIn("does not use Myrmidon", self.myr("run", program).stderr)
            self.assertIn("is linked statically", self.myr("omp", program).stderr)
            subprocess.run(
                ["gcc", source, "-Wl,--no-as-needed", "-lgomp", "-o", program], check=True
            )
            self.assertEqual(self.myr("omp", program).stderr, "")

    def test_a_shell_may_use_the_openmp_library_and_stop(self) -> None:
        script = 'eval "$("$MYR" omp --%s)"; printf %%s "${LD_LIBRARY_PATH-unset}"'

        def path_after(option: str, path: str | None) -> str:
            variables = {n: v for n, v in os.environ.items() if n != "LD_LIBRARY_PATH"}
            variables["MYR"] = self.program
            if path is not None:
                variables["LD_LIBRARY_PATH"] = path
            return subprocess.run(["sh", "-c", script % option], env=variables, check=True,
                                  capture_output=True, text=True).stdout  # fmt: skip

        folder = path_after("install", None)
        self.assertTrue(Path(folder, "libgomp.so.1").exists(), folder)
        odd = "/a b:/it's $HOME:/c"
        self.assertEqual(path_after("install", odd), f"{folder}:{odd}")
        self.assertEqual(path_after("install", f"{odd}:{folder}"), f"{folder}:{odd}")
        self.assertEqual(path_after("remove", f"/a b:{folder}:/it's $HOME:/c"), odd)
        self.assertEqual(path_after("remove", folder), "unset")
        self.fails(2, "excludes", "omp", "--install", "--remove")

    def test_a_doctor_says_what_is_here_and_what_is_wrong(self) -> None:
        well = self.myr("doctor", MYR_CHAOS="7", OMP_NUM_THREADS="3")
        self.assertEqual((well.returncode, well.stderr), (0, ""), well.stdout)
        for said in ("myrmidon        0.", "processor  ", "OMP_NUM_THREADS 3\n",
                     "MYR_CHAOS=7 MYR_ON=smp:1 repeats it", "Nothing is wrong"):  # fmt: skip
            self.assertIn(said, well.stdout)
        ill = self.myr("doctor", "--json", MYR_STAT="1", MYR_MPI="lam")
        self.assertEqual(ill.returncode, 1)
        found = json.loads(ill.stdout)
        self.assertEqual(len(found["faults"]), 2, found)
        self.assertIn("'lam' is unknown", found["faults"][0])
        self.assertIn("did you mean MYR_STATS?", found["faults"][1])
        self.assertEqual(found["facts"]["MYR_STAT"], "1")

    def test_an_unknown_variable_is_named_once(self) -> None:
        result = self.myr("omp", "/bin/true", MYR_STAT="1")
        self.assertIn(
            "MYR_STAT is unknown and has no effect; did you mean MYR_STATS?", result.stderr
        )

    def test_a_build_without_a_plugin_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bin/myr", "bin/mpirun.openmpi", "bin/mpirun.mpich"):
                copy = Path(folder, name)
                copy.parent.mkdir(exist_ok=True)
                shutil.copy(self.program, copy)
            for mpi in ("openmpi", "mpich"):
                words = [str(Path(folder, "bin/myr")), "run", "--on", "mpi:1+1", "/bin/echo"]
                environment = {"PATH": f"{folder}/bin", "MYR_MPI": mpi}
                done = subprocess.run(
                    words, env=environment, capture_output=True, text=True, check=False, timeout=60
                )
                said = f"mpirun.{mpi} is here, but Myrmidon was built without {mpi}: install the"
                self.assertIn(f"{said} package lib{mpi}-dev", done.stderr)

    def chaos(self, script: str, *options: str, **variables: str) -> tuple[int, str]:
        words = ["chaos", "--on", "smp:3", *options, "sh", "-c", script]
        with tempfile.TemporaryDirectory() as state:
            done = self.myr(*words, XDG_STATE_HOME=state, **variables)
            doctor = self.myr("doctor", XDG_STATE_HOME=state).stdout
        return done.returncode, done.stdout + done.stderr + doctor

    def test_chaos_finds_the_first_wrong_seed(self) -> None:
        wrong_at_9 = 'echo begin; test "$MYR_CHAOS" = 9 && echo "$MYR_ON"; echo end'
        status, text = self.chaos(wrong_at_9, "--seed=7")
        self.assertEqual(status, 1, text)
        self.assertIn("run 3 on smp:3, seed 9: line 2 of its output differs", text)
        self.assertIn("serial: end\n  now:    smp:3\n", text)
        self.assertIn("the same each time, also in a debugger:\n  MYR_CHAOS=9 MYR_ON=smp:1", text)
        kept = next(line for line in text.splitlines() if "last wrong seed" in line)
        self.assertRegex(kept, r"9, of \d+-\d+-\d+ \d+:\d+, in /.*: MYR_CHAOS=9 MYR_ON=smp:1 'sh'")

    def test_chaos_compares_exit_statuses_and_ends_a_program_that_hangs(self) -> None:
        on_threads = 'case "$MYR_ON" in smp:3) exit 5;; esac'
        status, text = self.chaos(on_threads)
        self.assertEqual(status, 1, text)
        self.assertIn("exit status 5, where the serial run ends with exit status 0", text)
        self.assertIn("(times differ, so it may be right):\n  MYR_CHAOS=", text)
        self.assertIn("signal 9", self.chaos('test -z "$MYR_CHAOS" || kill -9 $$')[1])

    def test_chaos_shows_what_is_around_a_difference(self) -> None:
        long = 'printf "%0300d$MYR_CHAOS\\001\\n" 0'
        text = self.chaos(long, "--seed=5")[1]
        self.assertIn("  serial: ... " + 40 * "0" + "?\n", text)
        self.assertIn("  now:    ... " + 40 * "0" + "5?\n", text)

    def test_chaos_does_not_take_what_cannot_run_for_right(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder, "text")
            text.write_text("neither a program nor a script")
            self.fails(127, "no such program", "chaos", str(text))
            text.chmod(0o755)
            self.fails(1, f"{folder} cannot be run", "chaos", folder)

    def test_chaos_says_when_all_runs_were_right(self) -> None:
        status, text = self.chaos("cat; echo $0", "--runs=4", "--seed=1", MYR_CHAOS="3")
        self.assertEqual(status, 0, text)
        self.assertIn("4 runs on smp:3, seeds 1 to 4: the output and exit status of", text)
        self.assertNotIn("last wrong seed", text)
        status, text = self.chaos("date +%N", "--json", "--runs=2", "--seed=1")
        self.assertEqual(status, 0, text)
        found = json.loads(text.splitlines()[0])
        self.assertEqual(
            (found["runs"], found["compares_output"], found["wrong"]), (2, False, None)
        )
        self.assertIn("only exit statuses are compared", self.chaos("date +%N")[1])
        status, text = self.chaos("exit 3", "--runs=1")
        self.assertEqual(status, 0, text)
        self.assertIn("note: the serial run ends with exit status 3", text)
        self.assertIn("1 run on smp:3", text)

    def test_chaos_needs_a_machine_with_orders_and_a_program(self) -> None:
        self.fails(2, "which program?", "chaos")
        for machine in ("serial", "mpi:1+2", "master:1+2", "sim:scc-48", "smp:0", "cloud"):
            self.fails(2, f"'{machine}'" if machine != "smp:0" else "smp:0",
                       "chaos", "--on", machine, "true")  # fmt: skip
        self.fails(127, "no such program", "chaos", "./nothing")
        for option, wrong in (("--runs", "0"), ("--seed", "-5"), ("--seed", str(2**64))):
            self.fails(2, wrong, "chaos", option, wrong, "true")
        with tempfile.TemporaryDirectory() as folder:
            counts = f"echo run >>{folder}/runs; exit $(wc -l <{folder}/runs)"
            self.fails(1, "two serial runs end differently", "chaos", "sh", "-c", counts)

    def test_help_names_every_option(self) -> None:
        text = self.myr("run", "--help").stdout
        for word in ("--on", "--stats", "--trace", "--graph", "MYR_ON", "PROGRAM"):
            self.assertIn(word, text)


if __name__ == "__main__":
    Myr.program = sys.argv.pop(1)
    unittest.main()
