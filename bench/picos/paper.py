# SPDX-License-Identifier: Apache-2.0
"""The paper's own numbers. Its Nanos ran on Linux."""

# Figure 7: cycles of a task, in the order of measure.OVERHEAD_CASES.
OVERHEAD = {
    "phentos": (185, 320, 329, 423),
    "nanos_rv": (12348, 13143, 12835, 12393),
    "nanos_sw": (25208, 99008, 35867, 58214),
}
# Section VI-B: geometric means over 37 inputs, (faster runtime, slower one).
GEOMEAN = {
    ("phentos", "nanos_sw"): 13.19,
    ("phentos", "nanos_rv"): 6.20,
    ("nanos_rv", "nanos_sw"): 2.13,
}
# In how many of the 37 the first is faster.
WINS = {("phentos", "nanos_sw"): 36, ("phentos", "nanos_rv"): 34, ("nanos_rv", "nanos_sw"): 34}
BEST_SPEEDUP = {"phentos": 5.72, "nanos_rv": 5.62}  # over the program without tasks
BEST_OVER_SOFTWARE = 146.01
# Table II: cells of the FPGA, and shares of the whole system.
AREA = {
    "whole system": (384_000, 100.0),
    "core with FPU and caches": (44_000, 11.56),
    "floating-point unit": (18_000, 4.77),
    "data cache": (6_000, 1.57),
    "instruction cache": (1_000, 0.32),
    "scheduler": (7_000, 1.79),
}
