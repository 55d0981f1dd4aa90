#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the OpenMP benchmark: openmp.png, with its measurements beside it in openmp.json."""

import run

OUT = run.runs.OUT

if __name__ == "__main__":
    run.main(["--quick", "--plot", str(OUT / "openmp.png"), "--json", str(OUT / "openmp.json")])
