# SPDX-License-Identifier: Apache-2.0
"""The process around the tasks: its end, interrupts, forks, threads, other interpreters."""

import os
import signal
import subprocess
import sys
import time
import unittest

import programs
from programs import run


class End(unittest.TestCase):
    def test_the_end_waits(self) -> None:
        done = run("""
            import time
            @task
            def late(x: InOut):
                time.sleep(0.2)
                print("late", flush=True)
            late(np.zeros(1))
        """)
        self.assertEqual(done.stdout, "late\n")

    def test_a_failure_that_no_wait_takes(self) -> None:
        done = run(
            """
            @task
            def fail(x: InOut):
                raise ValueError("nobody asked")
            fail(np.zeros(1))
            print("main ends")
            """,
            status=70,
        )
        self.assertEqual(done.stdout, "main ends\n")
        self.assertIn("no wait() has raised it", done.stderr)
        self.assertIn("ValueError: nobody asked", done.stderr)
        self.assertIn("spawned at <string>:", done.stderr)

    def test_a_lost_future_that_failed(self) -> None:
        done = run(
            """
            @task
            def fail():
                raise ValueError("lost")
            fail.submit()
            """,
            status=70,
        )
        self.assertIn("ValueError: lost", done.stderr)

    def test_main_fails_with_tasks_under_way(self) -> None:
        done = run(
            """
            @task
            def add(x: InOut):
                x += 1
            x = np.zeros(1)
            for _ in range(1000):
                add(x)
            raise SystemExit(3)
            """,
            status=3,
        )
        self.assertEqual(done.stderr, "")

    def test_exit_in_a_task(self) -> None:
        run(
            """
            import sys
            @task
            def leave(x: InOut):
                sys.exit(5)
            leave(np.zeros(1))
            wait()
            """,
            status=5,
        )

    def test_start_and_finish(self) -> None:
        done = run(
            """
            @task
            def add(x: InOut):
                x += 1
            x = np.zeros(1)
            for machine in ("smp:3", "serial", "tree:1+2", "smp"):
                myr.start(machine, workers=2 if machine == "smp" else 0)
                add(x)
                myr.finish()
                try:
                    add(x)
                except myr.StartError as error:
                    assert "call myrmidon.start()" in str(error)
            try:
                myr.start("nothing:7")
            except myr.StartError as error:
                print(error)
            print(x[0])
            """,
            machine="",
        )
        self.assertIn("nothing:7", done.stdout)
        self.assertIn("4.0", done.stdout)

    def test_machine_that_does_not_exist(self) -> None:
        done = run("wait()", machine="none", status=1)
        self.assertIn("StartError: the machine cannot start", done.stderr)


class Interrupts(unittest.TestCase):
    def interrupt(self, body: str, *, times: int = 1) -> tuple[int, str, str, float]:
        process = subprocess.Popen(
            [sys.executable, "-c", programs.PRELUDE + body],
            env=os.environ | {"MYR_ON": "smp:2"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        begin = time.monotonic()
        for _ in range(times):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, first + out, err, time.monotonic() - begin

    BODY = """
import time
ran = np.zeros(1)
@task
def nap(x: InOut):
    time.sleep(0.1)
    x += 1
for _ in range(60):  # more, and main would run some while it spawns
    nap(ran)
print("spawned", flush=True)
"""

    def test_an_interrupt_drops_what_has_not_begun(self) -> None:
        status, out, err, seconds = self.interrupt(
            self.BODY
            + """
try:
    wait()
except KeyboardInterrupt:
    print("interrupted", 0 < ran[0] < 50)
nap(ran)
wait()
print("goes on")
"""
        )
        self.assertEqual((status, out, err), (0, "spawned\ninterrupted True\ngoes on\n", ""))
        self.assertLess(seconds, 50)

    def test_nobody_catches_it(self) -> None:
        status, out, err, _ = self.interrupt(self.BODY + "wait()\n")
        self.assertEqual((status, out), (-signal.SIGINT, "spawned\n"))
        self.assertEqual(err.count("KeyboardInterrupt"), 1)

    def test_at_the_end_of_the_program(self) -> None:
        status, _, err, _ = self.interrupt(self.BODY)
        self.assertEqual(status, 70)
        self.assertIn("KeyboardInterrupt", err)

    def test_a_second_one_ends_the_process(self) -> None:
        status, _, _, seconds = self.interrupt(
            """
import time
@task
def hang(x: InOut):
    while True:
        time.sleep(0.01)
@task
def nothing(x: InOut):
    pass
hang(np.zeros(1))
print("spawned", flush=True)
wait()
""",
            times=3,
        )
        self.assertEqual(status, -signal.SIGINT)
        self.assertLess(seconds, 50)


class Forks(unittest.TestCase):
    def test_a_forked_child_has_its_own_machine(self) -> None:
        done = run("""
            import os
            @task
            def add(x: InOut):
                x += 1
            x = np.zeros(1)
            for _ in range(100):
                add(x)
            child = os.fork()
            if child == 0:
                y = np.zeros(1)
                for _ in range(10):
                    add(y)
                wait()
                assert y[0] == 10
                raise SystemExit(4)
            _, status = os.waitpid(child, 0)
            wait()
            print(x[0], os.waitstatus_to_exitcode(status))
        """)
        self.assertEqual(done.stdout, "100.0 4\n")

    def test_pools(self) -> None:
        body = """
            import multiprocessing
            @task
            def add(x: InOut):
                x += 1
            def work(n):
                x = np.zeros(1)
                for _ in range(n):
                    add(x)
                wait()
                return int(x[0])
            if __name__ == "__main__":
                x = np.zeros(1)
                add(x)
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    print(pool.map(work, [1, 2, 3]))
                wait()
        """
        self.assertEqual(run(body).stdout, "[1, 2, 3]\n")


class Threads(unittest.TestCase):
    BODY = """
        import threading
        @task
        def add(x: InOut):
            x += 1
        @task
        def fail(x: InOut):
            raise ValueError("of a thread")
        failures = []
        def work():
            x = np.zeros(1)
            for _ in range(300):
                add(x)
            wait(In(x))
            assert x[0] == 300
            fail(x)
            try:
                wait()
            except ValueError as error:
                failures.append(error)
            add(x)  # the thread's end waits
        FIRST
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads: thread.start()
        LATER
        for thread in threads: thread.join()
        wait()
        print(len(failures))
    """

    def test_threads_spawn(self) -> None:
        for machine in ("smp:1", "smp:2", "smp:4", "serial", "tree:1+2"):
            for first, later in (("work()", ""), ("", "work()"), ("", "")):
                with self.subTest(machine=machine, first=first, later=later):
                    body = self.BODY.replace("FIRST", first).replace("LATER", later)
                    count = 6 + (first != "") + (later != "")
                    self.assertEqual(run(body, machine=machine).stdout, f"{count}\n")

    def test_daemons_at_the_end(self) -> None:
        body = """
            import threading, time
            @task
            def nap(x: InOut):
                time.sleep(0.01)
            def work():
                x = np.zeros(1)
                while True:
                    nap(x)
                    wait()
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            nap(np.zeros(1))
            time.sleep(0.1)
        """
        for machine in ("smp:2", "smp:1", "tree:1+2"):
            for _ in range(3):
                with self.subTest(machine=machine):
                    self.assertEqual(run(body, machine=machine).stderr, "")

    def test_other_threads_run_while_main_waits(self) -> None:
        done = run("""
            import threading, time
            ticks = []
            stop = threading.Event()
            def tick():
                while not stop.is_set():
                    ticks.append(1)
                    time.sleep(0.01)
            thread = threading.Thread(target=tick)
            thread.start()
            @task
            def nap(x: InOut):
                time.sleep(0.3)
            nap(np.zeros(1))
            wait()
            stop.set()
            thread.join()
            print(len(ticks) > 3)
        """)
        self.assertEqual(done.stdout, "True\n")


class Interpreters(unittest.TestCase):
    def test_another_interpreter_cannot_import_it(self) -> None:
        done = run("""
            import _xxsubinterpreters as interpreters
            other = interpreters.create()
            try:
                interpreters.run_string(other, "import myrmidon._core")
            except interpreters.RunFailedError as error:
                print(error)
        """)
        self.assertIn("main interpreter only", done.stdout)


if __name__ == "__main__":
    unittest.main()
