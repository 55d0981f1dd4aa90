# SPDX-License-Identifier: Apache-2.0
"""Tasks over arrays of all layouts leave what the serial program leaves."""

import os
import random
import unittest
import weakref

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import myrmidon as myr
from myrmidon import In, InOut, Out, task, wait


@task
def mix(x: In, y: InOut, factor: float):
    y *= 0.5
    y += factor + x.sum()


@task
def fill(x: Out, value: float):
    x[...] = value


@task
def add_one(x: InOut):
    x += 1


def random_slice(rng: random.Random, length: int) -> slice:
    begin, end = sorted((rng.randint(0, length), rng.randint(0, length)))
    step = rng.choice((1, 1, 1, 2, 3))
    if rng.random() < 0.3:
        return slice(end, begin - length - 1 if begin == 0 else begin, -step)
    return slice(begin, end, step)


def random_view(rng: random.Random, arrays: list[np.ndarray]) -> np.ndarray:
    array = rng.choice(arrays)
    view = array[tuple(random_slice(rng, length) for length in array.shape)]
    return view.T if rng.random() < 0.3 else view


def arrays_of(seed: int) -> list[np.ndarray]:
    base = np.random.default_rng(seed)
    return [
        base.random(40),
        base.random((12, 16)),
        np.asfortranarray(base.random((9, 7))),
        base.random((4, 5, 6)),
    ]


def play(seed: int, arrays: list[np.ndarray], spawns: bool) -> None:
    rng = random.Random(seed)
    for number in range(60):
        x, y = random_view(rng, arrays), random_view(rng, arrays)
        call = mix if spawns else mix.function
        if np.shares_memory(x, y):  # numpy itself reads x before it writes y
            x = x[:0]
        call(x, y, number / 7)
        looked_at = random_view(rng, arrays)
        if spawns and number % 10 == 0:
            wait(In(looked_at))
    if spawns:
        wait()


class Layouts(unittest.TestCase):
    def test_random_programs_are_serial(self) -> None:
        seed = int(os.environ.get("MYR_TEST_SEED", random.randrange(1 << 30)))
        for offset in range(20):
            with self.subTest(MYR_TEST_SEED=seed + offset):
                expected, found = arrays_of(seed + offset), arrays_of(seed + offset)
                play(seed + offset, expected, False)
                play(seed + offset, found, True)
                for one, other in zip(expected, found, strict=True):
                    np.testing.assert_array_equal(one, other)

    def test_tiles_are_apart(self) -> None:
        matrix = np.zeros((64, 64))
        for i in range(0, 64, 16):
            for j in range(0, 64, 16):
                fill(matrix[i : i + 16, j : j + 16], i + j)
        wait()
        self.assertTrue((matrix[16:32, 32:48] == 48).all())

    def test_empty_arrays_name_nothing(self) -> None:
        for empty in (np.zeros(0), np.zeros((3, 0)), np.zeros((4, 4))[2:2, ::2]):
            add_one(empty)
            wait(InOut(empty))
        wait()

    def test_zero_dimensions(self) -> None:
        scalar = np.zeros(())
        for _ in range(10):
            add_one(scalar)
        wait(In(scalar))
        self.assertEqual(scalar, 10)

    def test_overlapping_views_are_ordered(self) -> None:
        a = np.zeros(100)
        for _ in range(50):
            add_one(a[:60])
            add_one(a[40:])
        wait()
        self.assertEqual((a[0], a[50], a[99]), (50, 100, 50))

    def test_reversed_views_are_ordered(self) -> None:
        a = np.zeros(10)
        fill(a[::-1], 1)
        add_one(a[8:])
        add_one(a[::-2])
        wait()
        self.assertEqual(a.tolist(), [1, 2, 1, 2, 1, 2, 1, 2, 2, 3])

    def test_same_array_twice(self) -> None:
        @task
        def both(x: In, y: InOut):
            y += x

        a = np.ones(8)
        for _ in range(10):
            both(a, a)
        wait()
        self.assertEqual(a[0], 1024)

    def test_in_and_out_overlap_in_one_task(self) -> None:
        @task
        def shift(x: In, y: Out):
            y[...] = x.copy()

        a = np.arange(10.0)
        for _ in range(3):
            shift(a[:-1], a[1:])
        wait()
        self.assertEqual(a.tolist(), [0, 0, 0, 0, 1, 2, 3, 4, 5, 6])

    def test_sliding_windows_and_broadcasts_are_read(self) -> None:
        a = np.arange(10.0)
        total = np.zeros(3)

        @task
        def total_of(x: In, result: Out):
            result[...] = x.sum()

        add_one(a)
        total_of(sliding_window_view(a, 3), total[0:1])
        total_of(np.broadcast_to(a, (4, 10)), total[1:2])
        total_of(as_strided(a, (2, 2), (16, 8)), total[2:3])
        add_one(a)
        wait()
        expected = np.arange(1.0, 11.0)
        self.assertEqual(total[0], sliding_window_view(expected, 3).sum())
        self.assertEqual(total[1], 4 * expected.sum())
        self.assertEqual(total[2], 1 + 2 + 3 + 4)

    def test_lists_of_arrays(self) -> None:
        parts = [np.zeros(4) for _ in range(5)]
        total = np.zeros(1)

        @task
        def collect(arrays: In, result: Out):
            result[0] = sum(array.sum() for array in arrays)

        for number, array in enumerate(parts):
            fill(array, number)
        collect(parts, total)
        parts.clear()  # the task has its own list
        wait()
        self.assertEqual(total[0], 4 * (0 + 1 + 2 + 3 + 4))

    def test_structured_and_small_types(self) -> None:
        records = np.zeros(5, dtype=[("a", "i2"), ("b", "f8")])

        @task
        def set_b(x: Out):
            x[...] = 3

        set_b(records["b"])
        wait(In(records))
        self.assertEqual(records["b"].tolist(), [3] * 5)
        self.assertEqual(records["a"].tolist(), [0] * 5)


class Lifetime(unittest.TestCase):
    def test_a_task_keeps_its_arrays(self) -> None:
        gate = np.zeros(1)
        for _ in range(200):
            temporary = np.full(1000, 7.0)

            @task
            def add_sum(x: In, y: InOut):
                y += x.sum()

            add_sum(temporary[::2], gate)
            del temporary
        wait()
        self.assertEqual(gate[0], 200 * 3500)

    def test_a_task_lets_go_of_its_arrays(self) -> None:
        array = np.zeros(10)
        watch = weakref.ref(array)
        for _ in range(10):
            add_one(array)
        wait()
        del array
        self.assertIsNone(watch())

    def test_the_shape_may_change_behind_the_spawn(self) -> None:
        @task
        def check(x: InOut):
            assert x.shape == (2, 3)
            x += 1

        array = np.zeros((2, 3))
        check(array)
        array.shape = (6,)
        wait()
        self.assertEqual(array.tolist(), [1] * 6)


class Regions(unittest.TestCase):
    def test_a_region_names_its_arrays(self) -> None:
        region = myr.Region()
        arrays = [region.zeros(100) for _ in range(10)]
        total = np.zeros(1)

        @task
        def add_all(_: In, views: In, result: Out):
            result[0] = sum(view.sum() for view in views)

        for array in arrays:
            add_one(array)
        add_all(region, arrays, total)
        wait()
        self.assertEqual(total[0], 1000)
        with self.assertRaisesRegex(RuntimeError, "10 arrays of the Region are alive"):
            region.free()
        del arrays, array
        region.free()
        with self.assertRaisesRegex(ValueError, "has been freed"):
            region.zeros(3)
        with self.assertRaisesRegex(ValueError, "has been freed"):
            wait(In(region))

    def test_arrays_outlive_the_variable(self) -> None:
        array = myr.Region().zeros((3, 4), dtype=np.int32)
        add_one(array)
        wait()
        self.assertEqual((array.sum(), array.dtype, array.shape), (12, np.int32, (3, 4)))

    def test_forgotten_regions_are_freed(self) -> None:
        places = set()
        for _ in range(200):
            array = myr.Region().zeros(100_000)
            places.add(array.__array_interface__["data"][0])
            del array
            wait()
        self.assertLess(len(places), 100)

    def test_regions_inside_regions(self) -> None:
        outer = myr.Region()
        inner = myr.Region(outer)
        array = inner.zeros(4)
        add_one(array)
        wait(In(outer))
        self.assertEqual(array.tolist(), [1] * 4)
        del array, inner
        outer.free()

    def test_tasks_make_arrays_in_a_region(self) -> None:
        @task
        def make(region: InOut, result: Out):
            own = region.zeros(10)
            own += 3
            result[0] = own.sum()

        region, result = myr.Region(), np.zeros(1)
        make(region, result)
        wait()
        self.assertEqual(result[0], 30)


class Loops(unittest.TestCase):
    def test_parts(self) -> None:
        a, b = np.arange(1000.0), np.zeros(1000)

        def smooth(begin: int, end: int, x: np.ndarray, y: np.ndarray) -> None:
            for i in range(begin, end):
                y[i - begin] = x[max(i - 1, 0) - max(begin - 1, 0) :][:3].sum()

        for grain in (0, 1, 7, 5000):
            b[:] = 0
            myr.for_each(1000, smooth, In(myr.part(a, 1, 1)), Out(myr.part(b)), grain=grain)
            wait()
            self.assertEqual(b[500], 499 + 500 + 501)
            self.assertEqual(b[999], 998 + 999)

    def test_wrong_loops(self) -> None:
        a = np.zeros(10)
        body = add_one
        with self.assertRaisesRegex(ValueError, "10 rows has none for iteration 10"):
            myr.for_each(11, body, InOut(myr.part(a)))
        with self.assertRaisesRegex(TypeError, r"In\(part\(x\)\)"):
            myr.for_each(10, body, myr.part(a))
        with self.assertRaisesRegex(ValueError, "go up by 1"):
            myr.for_each(range(10, 0, -1), body, InOut(myr.part(a)))


if __name__ == "__main__":
    unittest.main()
