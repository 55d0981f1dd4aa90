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
# Table II: thousands of gates by the depth of the queue, and the share of the cluster in per cent.
AREA = {32: (13.12, 1.49), 64: (17.62, 1.99), 128: (26.85, 3.01)}
