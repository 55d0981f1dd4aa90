#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the simulated system, and compares results with the host's.

All kernels and a few random programs with all runtimes, and the scenarios of section IV-C of paper
4, in which cores would wait for each other for ever if the instructions waited.

Usage: python3 hw/soc/check.py [--cores N]
"""

from __future__ import annotations

import argparse
import os

import build
import simulation

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
    *(build.Input("random", 200, 10, rounds=seed) for seed in (1, 2, 3)),
)
DEADLOCKS = build.Input("deadlocks", 400, 0)  # more tasks than the tracker has room for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, choices=build.CORES, default=2)
    cores = parser.parse_args().cores
    build.simulator(cores)
    runs = [simulation.Run(what, runtime, cores) for what in INPUTS for runtime in build.RUNTIMES]
    runs.append(simulation.Run(DEADLOCKS, "serial", cores))
    try:
        results = simulation.simulate_all(runs, os.cpu_count() or 1)
        for number, (run, result) in enumerate(results, start=1):
            print(f"{number}/{len(runs)} {run}: {result.cycles} cycles", flush=True)
    except simulation.Wrong as wrong:
        raise SystemExit(f"check: {wrong}") from None
    print(f"check: {len(runs)} runs, all results are the host's")


if __name__ == "__main__":
    main()
