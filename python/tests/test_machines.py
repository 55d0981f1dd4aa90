# SPDX-License-Identifier: Apache-2.0
"""The same program on every machine, and in random order."""

import unittest

from programs import run

PROGRAM = """
@task
def leaf(x: InOut, value):
    x += value

@task
def branch(x: InOut, depth):
    if depth == 0:
        return leaf(x, 1)
    half = len(x) // 2
    branch(x[:half], depth - 1)
    branch(x[half:], depth - 1)
    wait()
    leaf(x, depth)
    wait(In(x))
    x *= 1.5

@task
def fib(n):
    if n < 2:
        return n
    a, b = fib.submit(n - 1), fib.submit(n - 2)
    return a.result() + b.result()

@task
def fail(x: InOut):
    raise ValueError("no luck")

@task
def nothing(x: InOut):
    pass

x = np.zeros(64)
for _ in range(3):
    branch(x, 4)
wait(In(x))
matrix = np.zeros((32, 32))
for i in range(0, 32, 8):
    for j in range(0, 32, 8):
        leaf(matrix[i:i+8, j:j+8], i + j)
        leaf(matrix.T[i:i+8, ::-1], 1)
region = myr.Region()
arrays = [region.zeros(16) for _ in range(4)]
for array in arrays:
    leaf(array, 2)
@task
def total(region: In, arrays: In, result: Out):
    result[0] = sum(array.sum() for array in arrays)
result = np.zeros(1)
total(region, arrays, result)
number = fib.submit(8)
fail(x)
try:
    wait()
except ValueError as error:
    print(error)
myr.for_each(64, lambda begin, end, x: x.__iadd__(begin), InOut(myr.part(x)), grain=16)
wait()
print(x.sum(), matrix.sum(), result[0], number.result())
del array, arrays
region.free()
"""
EXPECTED = "no luck\n"


class Machines(unittest.TestCase):
    def test_all_print_the_same(self) -> None:
        expected = run(PROGRAM, machine="serial").stdout
        for machine in (
            "smp:1",
            "smp:2",
            "smp:5",
            "tree:1+2",
            "tree:2x2",
            "sim:formic-4+8",
            "sim:scc-48-tree:1+4",
        ):
            with self.subTest(machine=machine):
                self.assertEqual(run(PROGRAM, machine=machine).stdout, expected)

    def test_random_order(self) -> None:
        expected = run(PROGRAM, machine="serial").stdout
        for seed in range(6):
            for machine in ("smp:3", "tree:1+2", "sim:formic-4+8"):
                with self.subTest(machine=machine, seed=seed):
                    found = run(PROGRAM, machine=machine, MYR_CHAOS=str(seed)).stdout
                    self.assertEqual(found, expected)


class Simulated(unittest.TestCase):
    def test_virtual_time(self) -> None:
        done = run(
            """
            @task
            def work(x: InOut):
                myr.work(1_000_000)
            for row in np.zeros((8, 4)):
                work(row)
            wait()
            print(1_000_000 <= myr.cycles() < 4_000_000)
            """,
            machine="sim:formic-1+8",
        )
        self.assertEqual(done.stdout, "True\n")


if __name__ == "__main__":
    unittest.main()
