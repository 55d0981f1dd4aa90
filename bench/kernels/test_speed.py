# SPDX-License-Identifier: Apache-2.0
"""Tests of speed.py and of the table of sizes."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sizes import SIZES
from speed import Speed, best_of, geometric_mean, work_us


class SpeedTest(unittest.TestCase):
    def test_speed_ups_are_of_one_process_each(self) -> None:
        speed = Speed(10, serial_s=[2.0, 4.0, 3.0], parallel_s=[1.0, 2.0, 3.0])
        self.assertEqual(speed.speed_up, 2.0)
        self.assertEqual(speed.speed_ups, [2.0, 2.0, 1.0])

    def test_overhead_is_what_the_serial_program_does_not_need(self) -> None:
        self.assertAlmostEqual(Speed(1, [1.0], [1.25]).overhead_percent, 25)
        self.assertAlmostEqual(Speed(1, [1.0], [0.5]).overhead_percent, -50)

    def test_work_is_shared_out_among_the_tasks(self) -> None:
        speeds = [Speed(1000, [0.001, 0.002], [1.0, 1.0]), Speed(1000, [0.009], [1.0])]
        self.assertAlmostEqual(work_us(speeds), 2)
        self.assertAlmostEqual(work_us([Speed(0, [0.001], [1.0])]), 1000)

    def test_the_best_is_the_fastest_that_there_is(self) -> None:
        slow, fast = Speed(1, [1.0], [2.0]), Speed(1, [1.0], [0.5])
        self.assertIs(best_of([slow, None, fast]), fast)
        self.assertIsNone(best_of([None]))

    def test_geometric_mean(self) -> None:
        self.assertAlmostEqual(geometric_mean([1, 4]), 2)


class SizesTest(unittest.TestCase):
    def test_every_size_is_of_a_kernel_that_exists(self) -> None:
        kernels = Path(__file__).resolve().parents[2] / "kernels"
        for kernel, sizes in SIZES.items():
            self.assertTrue((kernels / kernel / "CMakeLists.txt").exists(), kernel)
            self.assertTrue(sizes.arguments(), kernel)


if __name__ == "__main__":
    unittest.main()
