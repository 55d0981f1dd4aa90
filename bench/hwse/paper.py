# SPDX-License-Identifier: Apache-2.0
"""The paper's own numbers."""

# Table VII: how many times as fast the engine is as the software, on all 16 cores.
SPEEDUP = {
    "sections init": 16.0,
    "sections fetch": 78.0,
    "sections end": 181.0,
    "loops init": 1.07,
    "loops fetch": 6.0,
    "loops end": 14.0,
    "tasks init": 1.41,
    "tasks fetch": 1.21,
}
# Table V: by how many per cent applications are faster than with gcc's library. Strassen's is that
# of its second step, the products, which take most of the time; the others are 80 and 80 with
# loops, 26 and 22 with tasks.
IMPROVEMENT = {
    ("jpeg", "loops"): 27.0,
    ("jpeg", "tasks"): 26.0,
    ("colour_tracking", "loops"): 6.0,
    ("colour_tracking", "tasks"): 27.0,
    ("strassen", "loops"): 28.0,
    ("strassen", "tasks"): 0.5,
    ("fast", "loops"): 53.0,
    ("fast", "tasks"): 48.0,
    ("viola_jones", "loops"): 20.0,
    ("viola_jones", "tasks"): 3.0,
}
# Their means, with Strassen's three steps.
IMPROVEMENT_MEAN = {"loops": 42.0, "tasks": 21.8}
# Table II: thousands of gates by the depth of the queue, and the share of the cluster in per cent.
AREA = {32: (13.12, 1.49), 64: (17.62, 1.99), 128: (26.85, 3.01)}
