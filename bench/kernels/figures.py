#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the kernel benchmark: kernels.png, with its measurements beside it in kernels.json."""

import run

OUT = run.runs.OUT

if __name__ == "__main__":
    run.main(["--plot", str(OUT / "kernels.png"), "--json", str(OUT / "kernels.json")])
