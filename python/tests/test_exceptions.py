# SPDX-License-Identifier: Apache-2.0
"""Exceptions of tasks, and futures."""

import contextvars
import gc
import sys
import traceback
import unittest
import weakref

import numpy as np

import myrmidon as myr
from myrmidon import In, InOut, Out, task, wait


@task
def fail(x: InOut, text: str):
    raise KeyError(text)


@task
def square(n):
    return n * n


@task
def fail_with(text):
    raise LookupError(text)


class Exceptions(unittest.TestCase):
    def test_traceback_and_note(self) -> None:
        fail(np.zeros(3), "no luck")
        try:
            wait()
        except KeyError as caught:
            lines = "".join(traceback.format_exception(caught))
        self.assertIn("raise KeyError(text)", lines)
        self.assertRegex(lines, r"in the task fail, which was spawned at .*test_exceptions.py:\d+")
        wait()  # nothing is left to raise

    def test_the_first_of_the_serial_program_counts(self) -> None:
        for number in range(20):
            fail(np.zeros(1), str(number))
        with self.assertRaisesRegex(KeyError, "'0'"):
            wait()
        wait()

    def test_others_run_regardless(self) -> None:
        x = np.zeros(1)

        @task
        def add(y: InOut):
            y += 1

        fail(x, "first")
        add(x)
        with self.assertRaises(KeyError):
            wait()
        self.assertEqual(x[0], 1)

    def test_waits_for_memory_do_not_raise(self) -> None:
        x = np.zeros(1)
        fail(x, "later")
        wait(In(x))
        with self.assertRaises(KeyError):
            wait()

    def test_from_far_below(self) -> None:
        @task
        def down(x: InOut, depth):
            if depth == 0:
                raise ValueError("bottom")
            down(x, depth - 1)

        down(np.zeros(1), 20)
        with self.assertRaisesRegex(ValueError, "bottom"):
            wait()

    def test_caught_in_a_task(self) -> None:
        x = np.zeros(1)

        @task
        def parent(y: InOut):
            fail(y, "child")
            try:
                wait()
            except KeyError:
                y += 1
                assert sys.exc_info()[0] is KeyError
            assert sys.exc_info()[0] is None

        parent(x)
        wait()
        self.assertEqual(x[0], 1)

    def test_handled_exceptions_are_each_tasks_own(self) -> None:
        seen = []

        @task
        def look(y: InOut):
            seen.append(sys.exc_info()[0])

        @task
        def parent(y: InOut):
            try:
                raise ZeroDivisionError
            except ZeroDivisionError:
                look(y)
                wait()
                seen.append(sys.exc_info()[0])

        parent(np.zeros(1))
        wait()
        self.assertEqual(seen, [None, ZeroDivisionError])

    def test_context_variables_are_each_tasks_own(self) -> None:
        variable = contextvars.ContextVar("variable", default=0)
        seen = []

        @task
        def child(y: InOut):
            seen.append(variable.get())
            variable.set(5)

        @task
        def parent(y: InOut):
            variable.set(7)
            child(y)
            wait()
            seen.append(variable.get())

        variable.set(3)
        parent(np.zeros(1))
        wait()
        self.assertEqual(seen, [0, 7])
        self.assertEqual(variable.get(), 3)

    def test_deep_tasks_have_their_own_recursion_limit(self) -> None:
        def deep(n):
            return 0 if n == 0 else 1 + deep(n - 1)

        @task
        def recurse(y: InOut, depth):
            y += deep(600)
            if depth > 0:
                recurse(y, depth - 1)
                wait()

        x = np.zeros(1)
        recurse(x, 20)
        wait()
        self.assertEqual(x[0], 21 * 600)

    def test_generators_across_waits(self) -> None:
        @task
        def leaf(x: InOut):
            x += 1

        def numbers(x):
            for number in range(5):
                leaf(x)
                wait()
                yield number

        @task
        def branch(x: InOut, depth):
            for _ in numbers(x):
                if depth:
                    branch(x, depth - 1)
                    wait(In(x))

        x = [np.zeros(1) for _ in range(8)]
        for array in x:
            branch(array, 2)
        wait()
        self.assertEqual({array[0] for array in x}, {5 + 25 + 125.0})


class Futures(unittest.TestCase):
    def test_results(self) -> None:
        self.assertEqual(
            [f.result() for f in [square.submit(n) for n in range(50)]], [n * n for n in range(50)]
        )

    def test_futures_as_arguments(self) -> None:
        future = square.submit(2)
        for _ in range(3):
            future = square.submit(future)
        self.assertEqual(future.result(), 2**16)
        self.assertTrue(future.done())
        self.assertIsNone(future.exception())

    def test_result_and_memory(self) -> None:
        x = np.zeros(4)

        @task
        def fill(x: Out, value):
            x[...] = value
            return float(value)

        @task
        def total(x: In, more):
            return x.sum() + more

        first = fill.submit(x, 3)
        second = total.submit(x, first)
        fill.submit(x, 5)
        self.assertEqual(second.result(), 15)

    def test_failures_pass_on(self) -> None:
        failed = fail_with.submit("gone")
        behind = square.submit(failed)
        with self.assertRaisesRegex(LookupError, "gone"):
            behind.result()
        self.assertIsInstance(failed.exception(), LookupError)
        square(failed)  # a plain task behind it fails at wait()
        with self.assertRaisesRegex(LookupError, "gone"):
            wait()

    def test_a_failure_that_nobody_asks_for_is_raised_by_wait(self) -> None:
        fail_with.submit("lost")
        with self.assertRaisesRegex(LookupError, "lost"):
            wait()
            gc.collect()
            wait()
        wait()

    def test_a_future_of_main_cannot_be_asked_elsewhere(self) -> None:
        gate = np.zeros(1)

        @task
        def ask(future):
            future.result()

        @task
        def slow(x: InOut):
            sum(range(100000))
            return 1

        future = slow.submit(gate)
        ask(myr.unchecked(future))
        try:
            wait()
        except RuntimeError as error:
            self.assertIn("hand the future to others as an argument", str(error))
        self.assertEqual(future.result(), 1)

    def test_a_task_asks_for_its_own(self) -> None:
        @task
        def fib(n):
            if n < 2:
                return n
            one, two = fib.submit(n - 1), fib.submit(n - 2)
            return one.result() + two.result()

        self.assertEqual(fib.submit(12).result(), 144)

    def test_results_are_let_go(self) -> None:
        @task
        def make():
            return np.zeros(5)

        future = make.submit()
        watch = weakref.ref(future.result())
        wait()
        self.assertIsNotNone(watch())
        del future
        self.assertIsNone(watch())

    def test_cancelled(self) -> None:
        region = myr.Region()
        array = region.zeros(1)

        @task
        def never(x: InOut):
            x += 1
            return 1

        region.cancel()
        future = never.submit(array)
        with self.assertRaisesRegex(RuntimeError, "cancelled"):
            future.result()
        wait()
        self.assertEqual(array[0], 0)


if __name__ == "__main__":
    unittest.main()
