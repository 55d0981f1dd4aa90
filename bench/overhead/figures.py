#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the overhead benchmark: overhead.png, with its measurements beside it in overhead.json."""

import run

OUT = run.runs.OUT

if __name__ == "__main__":
    run.main(["--plot", str(OUT / "overhead.png"), "--json", str(OUT / "overhead.json")])
