#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the METG benchmark: metg-WORK-THREADS.png, with the measurements beside it in metg.json."""

import run

OUT = run.runs.OUT

if __name__ == "__main__":
    run.main(["--plot", str(OUT / "metg.png"), "--json", str(OUT / "metg.json")])
