#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all kernels with all runtimes on the simulated system, and compares results with the host's.

Usage: python3 hw/soc/check.py [--cores N]
"""

from __future__ import annotations

import argparse
import os

import simulation

import build

INPUTS = (
    build.Input("task_free", 300, 4, deps=1),
    build.Input("task_free", 60, 4, deps=15),
    build.Input("task_chain", 200, 4, deps=3),
    build.Input("task_chain", 60, 4, deps=15),
    build.Input("stream_deps", 256, 8, rounds=3),
    build.Input("stream_barr", 256, 32, rounds=3),
    build.Input("sparse_lu", 8, 4),
    build.Input("poisson", 32, 1, rounds=6),
    build.Input("black_scholes", 128, 8),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, choices=build.CORES, default=2)
    cores = parser.parse_args().cores
    build.simulator(cores)
    runs = [simulation.Run(what, runtime, cores) for what in INPUTS for runtime in build.RUNTIMES]
    try:
        for run, result in simulation.simulate_all(runs, os.cpu_count() or 1):
            print(f"{run}: {result.cycles} cycles", flush=True)
    except simulation.Wrong as wrong:
        raise SystemExit(f"check: {wrong}") from None
    print(f"check: {len(runs)} runs, all results are the host's")


if __name__ == "__main__":
    main()
