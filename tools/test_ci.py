# SPDX-License-Identifier: Apache-2.0
"""Tests of the count over all presets. Run: cd tools && python3 -m unittest test_ci"""

import unittest

import ci

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="3" failures="1" disabled="0" skipped="1">
  <testcase name="unit.base" classname="unit.base" time="0.1" status="run"/>
  <testcase name="unit.mem" classname="unit.mem" time="0.1" status="fail"><failure/></testcase>
  <testcase name="unit.gone" classname="unit.gone" time="0" status="notrun"><skipped/></testcase>
</testsuite>
"""


class Counting(unittest.TestCase):
    def test_failed_and_missing_tests_count_as_failed(self) -> None:
        count = ci.read_junit(JUNIT, "dev")
        self.assertEqual(count, ci.Count(1, ("dev: unit.mem", "dev: unit.gone")))

    def test_sums_read_as_the_closing_line(self) -> None:
        total = ci.Count(2, ("a",)) + ci.Count(3, ())
        self.assertEqual(str(total), "5 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
