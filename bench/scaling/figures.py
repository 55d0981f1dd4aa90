#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the scaling benchmark: scaling.png, with its measurements beside it in scaling.json."""

import run

OUT = run.runs.OUT

if __name__ == "__main__":
    run.main(["--plot", str(OUT / "scaling.png"), "--json", str(OUT / "scaling.json")])
