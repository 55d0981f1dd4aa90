# SPDX-License-Identifier: Apache-2.0
"""What is refused, and what the messages say."""

import array
import unittest

import numpy as np

import myrmidon as myr
from myrmidon import In, InOut, Out, spawn, task, wait


@task
def read(x: In):
    pass


@task
def write(x: Out):
    x[...] = 1


@task
def value(x):
    pass


class Refused(unittest.TestCase):
    def refuse(self, kind: type, text: str, function, *arguments, **named) -> None:
        with self.assertRaisesRegex(kind, text):
            function(*arguments, **named)
        wait()

    def test_arrays(self) -> None:
        readonly = np.zeros(4)
        readonly.flags.writeable = False
        for kind, text, call, argument in (
            (TypeError, "Python objects", read, np.array([object()])),
            (TypeError, "Python objects", read, np.zeros(2, dtype=[("a", "O")])),
            (TypeError, "mask", read, np.ma.zeros(3)),
            (ValueError, "read-only", write, readonly),
            (ValueError, "read-only", write, np.broadcast_to(np.zeros(1), (5,))),
            (
                ValueError,
                "65536 separate pieces of 1 bytes",
                read,
                np.zeros((400, 400, 3), "u1")[..., 0],
            ),
            (TypeError, r"array that the task does not declare: .*`x: In`", value, np.zeros(3)),
            (TypeError, "arrays that the task does not declare", value, [np.zeros(3)]),
            (TypeError, "a copy of a number", read, np.zeros(3)[0]),
            (TypeError, "np.asarray", read, bytearray(4)),
            (TypeError, "np.asarray", read, array.array("d", [1])),
            (TypeError, "of type int", read, 5),
            (TypeError, "share with its caller", value, [1, 2]),
            (TypeError, "share with its caller", value, {}),
            (TypeError, "share with its caller", value, (1, [2])),
            (TypeError, r"passed as .*Out\(...\)", read, Out(np.zeros(3))),
        ):
            with self.subTest(argument=argument):
                self.refuse(kind, text, call, argument)

    def test_messages_name_the_task_and_the_argument(self) -> None:
        self.refuse(TypeError, r"^read\(\): the argument 'x'", read, 5)

    def test_calls(self) -> None:
        self.refuse(TypeError, r"read\(\) is called without its argument 'x'", read)
        self.refuse(TypeError, r"read\(\) takes 1 arguments, and got 2", read, 1, 2)
        self.refuse(TypeError, r"read\(\) has no parameter 'y'", read, np.zeros(1), y=2)
        self.refuse(TypeError, r"two values for 'x'", read, np.zeros(1), x=np.zeros(1))
        self.refuse(TypeError, r"In\(x\) takes one argument", In)
        self.refuse(TypeError, r"wait\(\) takes In\(x\)", wait, np.zeros(1))
        self.refuse(TypeError, r"wait\(\): is declared In", wait, In(5))

    def test_decorator(self) -> None:
        def many(*arrays):
            pass

        async def later():
            pass

        self.refuse(TypeError, r"\*arrays", task, many)
        self.refuse(TypeError, "coroutine", task, later)
        self.refuse(TypeError, "marks functions", task, 5)

    def test_a_list_in_itself(self) -> None:
        endless: list = []
        endless.append(endless)
        self.refuse(RecursionError, "", read, endless)

    def test_values_that_fit(self) -> None:
        import dataclasses
        import enum

        @dataclasses.dataclass(frozen=True)
        class Point:
            x: int
            name: str

        class Colour(enum.Enum):
            RED = 1

        for argument in (
            1,
            2.5,
            "a",
            b"b",
            None,
            (1, ("a", 2j)),
            Point(1, "p"),
            Colour.RED,
            np.float32(3),
            np.dtype("i4"),
            range(3),
            frozenset({1}),
            len,
            np.add,
        ):
            value(argument)
        value(myr.unchecked([1, 2]))
        wait()

    def test_reading_only_protects(self) -> None:
        @task
        def sneak(x: In):
            x[0] = 1

        @task
        def pass_on(x: In):
            write(x)

        sneak(np.zeros(3))
        with self.assertRaisesRegex(ValueError, "read-only"):
            wait()
        pass_on(np.zeros(3))
        with self.assertRaisesRegex(ValueError, "is the task that runs|argument of the task"):
            wait()

    def test_outside_of_the_footprint(self) -> None:
        """A child that uses more than its parent has declared is told the line."""
        a = np.zeros(100)

        @task
        def parent(x: InOut, rest):
            write(rest)

        parent(a[:50], myr.unchecked(a[40:60]))
        with self.assertRaisesRegex(myr.Misuse, r"test_errors.py:\d+: "):
            wait()

    def test_lost_results(self) -> None:
        spawn(lambda x: 5, In(np.zeros(2)))
        with self.assertRaisesRegex(
            TypeError, r"returned an object of type int, which nobody gets"
        ):
            wait()
        c = np.zeros(3)
        spawn(np.add, In(np.ones(3)), In(np.ones(3)), Out(c))
        wait()
        self.assertEqual(c.tolist(), [2, 2, 2])

    def test_uses(self) -> None:
        token = myr.Token()
        seen: list[int] = []

        @task
        def note(number: int):
            seen.append(number)

        for number in range(100):
            note.uses(InOut(token))(number)
        wait(In(token))
        self.assertEqual(seen, list(range(100)))
        self.refuse(TypeError, r"note.uses\(\) takes In", note.uses(5), 1)

    def test_machine(self) -> None:
        value(1)
        self.refuse(myr.StartError, "a machine runs already", myr.start)


if __name__ == "__main__":
    unittest.main()
