# SPDX-License-Identifier: Apache-2.0
"""How a job of several processes starts and ends, also when one of them is killed.

Usage: test_mpi.py MPI MYR PROGRAM OTHER_PROGRAM
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

KILLS = int(os.environ.get("MYR_TEST_KILLS", "5"))
# How soon a job ends of which one process is gone; the test itself waits much longer.
HANG_S = 60
SILENCE_S = 8  # of a process, before its job ends: longer than a busy computer lets one wait
# How long a job may take that ends by itself: some seconds, but on a busy computer many times that.
RUN_S = 180


def processes_of(program: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "exe").resolve() == Path(program).resolve():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class Job(unittest.TestCase):
    mpi: str
    myr: str
    program: str
    other: str

    @classmethod
    def setUpClass(cls) -> None:
        # A file of its own, so that its processes are those of this test and no other one.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = shutil.copy(cls.program, folder.name)

    def environment(self, **variables: str) -> dict[str, str]:
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        # Open MPI's launcher otherwise waits for a second before it kills what is left of a job.
        root["OMPI_MCA_odls_base_sigkill_timeout"] = "0"
        # MPICH looks for OpenCL's devices. PoCL changes static variables of its own for that, which
        # MYR_POISON takes from the other processes.
        root["HWLOC_COMPONENTS"] = "-opencl"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MYR_")}
        return clean | root | {"MYR_MPI": self.mpi} | variables

    def launcher(self, count: int) -> list[str]:
        more = ["--oversubscribe"] if self.mpi == "openmpi" else []
        return [f"mpirun.{self.mpi}", *more, "-n", str(count)]

    def run_words(self, words: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=RUN_S,
        )

    def on(self, shape: str, *end: str, **variables: str) -> subprocess.CompletedProcess[str]:
        words = [self.myr, "run", "--on", f"mpi:{shape}", self.program, *end]
        return self.run_words(words, **variables)

    def stats(self, shape: str, *end: str, **variables: str) -> list[dict[str, Any]]:
        ended = self.on(shape, *end, MYR_STATS="json", **variables)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        agents: list[dict[str, Any]] = json.loads(ended.stderr.splitlines()[-1])["agents"]
        return agents

    def expect(self, shape: str, end: str, status: int, output: str) -> None:
        ended = self.on(shape, end)
        self.assertEqual((ended.returncode, ended.stdout), (status, output), ended.stderr)

    def fails(self, ended: subprocess.CompletedProcess[str], message: str) -> None:
        self.assertNotEqual(ended.returncode, 0)
        own = [line for line in ended.stderr.splitlines() if line.startswith("myrmidon: error:")]
        self.assertEqual(len(own), 1, ended.stderr)
        self.assertRegex(own[0], message)

    def test_main_runs_once_and_the_result_is_the_serial_one(self) -> None:
        serial = self.run_words([self.myr, "run", "--on", "serial", self.program]).stdout
        for shape in "1+1", "1+2x2", "2+4":
            self.expect(shape, "", 0, serial)

    def test_status_is_that_of_main(self) -> None:
        self.assertEqual(self.on("1+2", "status").returncode, 3)
        self.expect("1+2", "without_tasks", 4, "done\n")

    def test_the_machine_may_start_again(self) -> None:
        serial = self.run_words([self.myr, "run", "--on", "serial", self.program, "again"]).stdout
        self.expect("1+2", "again", 0, serial)

    def test_mpirun_alone_will_do(self) -> None:
        ended = self.run_words([*self.launcher(3), self.program], MYR_ON="mpi:1+2")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("main runs", ended.stdout)

    def test_without_a_launcher_the_message_says_how(self) -> None:
        self.fails(self.run_words([self.program], MYR_ON="mpi:1+2"), "myr run --on mpi:1.2 PROGRAM")

    def test_a_program_that_does_not_exist(self) -> None:
        ended = self.run_words([self.myr, "run", "--on", "mpi:1+1", "./nothing"])
        self.assertEqual(ended.returncode, 127)
        self.assertEqual(ended.stderr, "myr: cannot run ./nothing: no such program\n")

    def test_the_wrong_number_of_processes(self) -> None:
        ended = self.run_words([*self.launcher(2), self.program], MYR_ON="mpi:1+2")
        self.fails(ended, "needs 3 processes, and the launcher has started 2")

    def test_another_build_on_one_rank(self) -> None:
        words = [*self.launcher(2), self.program, ":", "-n", "1", self.other]
        self.fails(self.run_words(words, MYR_ON="mpi:1+2"), "rank 2 runs another build")

    def test_an_exception_that_nobody_catches(self) -> None:
        self.fails(self.on("1+2", "throw"), r'program\.cpp:\d+: .*"nobody catches this"')

    def test_a_footprint_violation(self) -> None:
        self.fails(
            self.on("1+2", "misuse"), r"program\.cpp:\d+: spawn with .*outside the footprint"
        )

    def test_a_task_that_follows_a_pointer_to_what_has_not_come(self) -> None:
        self.fails(
            self.on("1+2", "fault", MYR_POISON="1"),
            r"rank 2: \S*program\.cpp:\d+: the task .*address 0x\w+, .*no memory",
        )

    def test_variables_that_tasks_may_use(self) -> None:
        for shape in "1+1", "1+2", "1+2x2":
            ended = self.on(shape, "variables", MYR_POISON="1")
            self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_variable_that_only_main_knows(self) -> None:
        self.fails(
            self.on("1+2", "forgotten", MYR_POISON="1"),
            r"rank 2: \S*program\.cpp:\d+: the task .*variable .*forgotten, which main",
        )

    def test_objects_that_own_others_in_a_region_of_several_processes(self) -> None:
        message = r"program\.cpp:\d+: in a region that it was given a task makes objects"
        self.fails(self.on("1+2", "owners", MYR_POISON="1"), message)
        message = r"program\.cpp:\d+: the task spawned here leaves a region behind"
        self.fails(self.on("1+2", "leaves", MYR_POISON="1"), message)

    def test_events_that_are_completed_in_another_process(self) -> None:
        for shape in "1+3", "2+2x2":
            ended = self.on(shape, "elsewhere", MYR_POISON="1")
            self.assertEqual(ended.returncode, 0, ended.stderr)
        message = r"program\.cpp:\d+: no such event: it has been completed already"
        self.fails(self.on("1+3", "twice", MYR_POISON="1"), message)

    def environments(
        self, *variables: tuple[str, ...], end: str = "", **launcher: str
    ) -> subprocess.CompletedProcess[str]:
        """A rank with each of these, `NAME=value` or `-NAME`, and what the launcher has."""
        words = self.launcher(1)[:-2]
        for own in variables:
            sets = [part for one in own for part in (["-u", one[1:]] if one[0] == "-" else [one])]
            words += [*([":"] if self.program in words else []), "-n", "1"]
            # Not by a shell: the launcher is the program's parent.
            words += ["env", *sets, self.program, end]
        return self.run_words(words, **(launcher or {"MYR_ON": "mpi:1+2"}))

    def test_ranks_that_are_told_different_things(self) -> None:
        for other, message in (
            ("-MYR_ON", "rank 2 .*no MYR_ON there, MYR_ON=mpi:1.2 here"),
            ("MYR_ON=smp", "rank 2 .*MYR_ON=smp there, MYR_ON=mpi:1.2 here"),
            ("MYR_ON=mpi:2+1", "rank 2 .*MYR_ON=mpi:2.1 there, MYR_ON=mpi:1.2 here"),
            ("MYR_SILENCE=abc", "rank 2 .*MYR_SILENCE=abc there, no MYR_SILENCE here"),
            ("MYR_STATS=abc", "rank 2: MYR_STATS: 'abc' is unknown"),
        ):
            ended = self.environments((), (), (other,))
            self.fails(ended, message)
            self.assertEqual(ended.returncode, 70, ended.stderr)
            self.assertNotIn("main runs", ended.stdout)
        alone = ("MYR_ON=smp",), ("MYR_ON=smp", "MYR_CHAOS=1"), ("MYR_ON=serial",)
        ended = self.environments(*alone, end="nothing")  # and nobody waits for others
        self.assertEqual((ended.returncode, ended.stdout.count("done")), (0, 3), ended.stderr)
        self.assertEqual(ended.stderr, "")
        ended = self.environments(("-MYR_ON",), (), ())
        self.fails(ended, "rank 1 .*MYR_ON=mpi:1.2 there, no MYR_ON here")
        self.assertEqual((ended.returncode, ended.stdout), (70, ""), ended.stderr)
        # MPICH's launcher does not know that its processes are to be one program.
        job = ("MYR_ON=mpi:1+2",)
        ended = self.environments(job, job, ("MYR_ON=smp",), end="lasts", MYR_SILENCE="30")
        where = {"mpich": "in another process", "openmpi": "there, MYR_ON=mpi:1.2 here"}
        self.fails(ended, f"MYR_ON=smp {where[self.mpi]}")
        # Before MPI has started, MPICH's may tell that it has killed the others.
        self.assertIn(ended.returncode, (70, signal.SIGKILL), ended.stderr)

    def test_a_machine_that_is_not_known_is_said_once(self) -> None:
        for machine in "mip:1+2", "mpi:1+", "mpi:0+3":
            ended = self.run_words([*self.launcher(3), self.program], MYR_ON=machine)
            self.fails(ended, "MYR_ON: ")
            self.assertEqual((ended.returncode, ended.stdout), (70, ""), ended.stderr)

    def all_done(self, ended: subprocess.CompletedProcess[str]) -> None:
        """Checks that three whole programs have ended; launchers mix their outputs."""
        said = (ended.stdout.count("done"), ended.stdout.count("\n"))
        self.assertEqual((ended.returncode, *said), (0, 3, 3), ended.stderr)

    def test_several_whole_programs(self) -> None:
        ended = self.run_words([*self.launcher(3), self.program, "nothing"])
        self.all_done(ended)
        self.assertEqual(ended.stderr.count("each runs the whole program"), 1, ended.stderr)
        self.assertIn("myr run --on mpi:1+2", ended.stderr)
        ended = self.run_words([*self.launcher(3), self.program, "nothing"], MYR_ON="smp:1")
        self.all_done(ended)
        self.assertNotIn("myrmidon", ended.stderr)

    def test_the_name_of_the_other_mpi(self) -> None:
        other = "mpich" if self.mpi == "openmpi" else "openmpi"
        words = [*self.launcher(2), self.program, "nothing"]
        ended = self.run_words(words, MYR_ON="mpi:1+1", MYR_MPI=other)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"myrmidon: MYR_MPI={other} has no effect", ended.stderr)

    def test_processes_that_share_a_processor(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            return
        cpu = str(min(os.sched_getaffinity(0)))
        words = [*self.launcher(3), "taskset", "-c", cpu, self.program, "nothing"]
        ended = self.run_words(words, MYR_ON="mpi:1+2")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stderr.count("2 threads for tasks to 1 processor"), 1)

    def test_memory_that_one_process_does_not_get(self) -> None:
        limited = ["sh", "-c", 'ulimit -v 4194304; exec "$0" exhaust', self.program]
        rest = [self.program, "exhaust"]
        words = [*self.launcher(1), *rest, ":", "-n", "1", *limited, ":", "-n", "1", *rest]
        message = r"(rank 1: .*memory|out of memory|no memory)"
        self.fails(self.run_words(words, MYR_ON="mpi:1+2"), message)

    def test_arguments_are_saved(self) -> None:
        agents = self.stats("1+2", "saved")
        self.assertEqual(sum(agent.get("kept", 0) for agent in agents), 1, agents)
        workers = [agent["tasks"] for agent in agents if agent["kind"] == "worker"]
        self.assertEqual(sum(workers), 41, agents)

    def test_parts_of_loops_go_to_other_processes(self) -> None:
        agents = self.stats("1+2", "loop")
        self.assertEqual(sum(agent.get("kept", 0) for agent in agents), 2, agents)
        workers = [agent["tasks"] for agent in agents if agent["kind"] == "worker"]
        self.assertEqual(sum(workers), 22, agents)

    def test_tasks_that_have_not_begun_are_taken_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ended = self.on("1+2", "meet", folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_timelines_of_all_processes_are_on_one_clock(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "out.json"
            ended = self.on("1+2x2", "chain", MYR_TRACE=str(file), MYR_CHAOS="1")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            events = json.loads(file.read_text())["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(names, {"scheduler 0"} | {f"worker {i}" for i in range(4)})
        boxes = [event for event in events if event["ph"] == "X"]
        self.assertTrue(any(box["name"] == "scheduling" for box in boxes))
        (whole,) = (box for box in boxes if box["name"] == "main")
        tasks = [box for box in boxes if "program.cpp" in box["name"]]
        tasks.sort(key=lambda box: float(box["ts"]))
        self.assertEqual(len(tasks), 40, [box["name"] for box in boxes][:20])
        # Chance, not the load, sends tasks to both processes; which of a process's threads is the
        # load's.
        self.assertEqual({(int(box["tid"]) - 1) // 2 for box in tasks}, {0, 1})
        ends = [float(whole["ts"]), *(float(box["ts"]) + float(box["dur"]) for box in tasks)]
        for end, box in zip(ends, tasks, strict=False):
            self.assertLessEqual(end, float(box["ts"]))
        self.assertLessEqual(ends[-1], ends[0] + float(whole["dur"]))

    def test_timelines_for_paraver(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "out.prv"
            ended = self.on("1+2", "chain", MYR_TRACE=str(file), MYR_CHAOS="1")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            rows = file.with_suffix(".row").read_text()
            lines = file.read_text().splitlines()
        self.assertIn("worker 1", rows)
        self.assertEqual({line.split(":")[1] for line in lines[1:]}, {"1", "2", "3"})

    def start_forever(self) -> subprocess.Popen[str]:
        job = subprocess.Popen(
            [self.myr, "run", "--on", "mpi:1+3", self.program, "forever"],
            env=self.environment(MYR_SILENCE=str(SILENCE_S)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        assert job.stdout is not None
        while "computing" not in job.stdout.readline():
            self.assertIsNone(job.poll())
        return job

    def expect_end(self, job: subprocess.Popen[str], note: str = "") -> str:
        errors = self.wait_for_end(job, note)
        self.assertNotEqual(job.returncode, 0, note)
        return errors

    def wait_for_end(self, job: subprocess.Popen[str], note: str = "") -> str:
        with job:
            errors = job.communicate(timeout=HANG_S)[1]
        self.expect_nobody(note)
        return errors

    def expect_nobody(self, note: str) -> None:
        until = time.monotonic() + HANG_S
        while processes_of(self.program) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(processes_of(self.program), [], f"orphans; {note}")

    def test_a_process_that_has_stopped_ends_the_job(self) -> None:
        for is_first in True, False:
            job = self.start_forever()
            ranks = sorted(processes_of(self.program))
            os.kill(ranks[0] if is_first else ranks[-1], signal.SIGSTOP)
            errors = self.expect_end(job)
            self.assertRegex(errors, rf"rank \d+ has said nothing for {SILENCE_S} s")
            self.assertEqual(errors.count("myrmidon: error:"), 1, errors)

    def test_a_process_that_stops_while_the_job_starts(self) -> None:
        stops = ["sh", "-c", 'kill -STOP $$; exec "$0"', self.program]
        words = [*self.launcher(2), self.program, ":", "-n", "1", *stops]
        ended = self.run_words(words, MYR_ON="mpi:1+2", MYR_SILENCE="1")
        self.assertNotEqual(ended.returncode, 0)
        # More than one of them, if the launcher takes its time to end the others.
        self.assertIn("has not started", ended.stderr)
        self.expect_nobody("while starting")

    def test_a_process_that_is_killed_ends_the_job(self) -> None:
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        for _ in range(KILLS):
            job = self.start_forever()
            time.sleep(dice.random() / 4)
            os.kill(dice.choice(processes_of(self.program)), signal.SIGKILL)
            self.expect_end(job, f"seed {seed}")

    def test_an_interrupt_from_the_terminal_ends_the_job(self) -> None:
        job = self.start_forever()
        os.killpg(job.pid, signal.SIGINT)
        # The exit status is the launcher's own: MPICH's is 0 when the interrupt ends its proxies
        # before they have told it how their processes ended.
        self.wait_for_end(job)


if __name__ == "__main__":
    # Shells have what they run in the background ignore interrupts, and so would jobs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Job.mpi, Job.myr, Job.program, Job.other = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
