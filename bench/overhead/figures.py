#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the overhead benchmark: overhead.png, with its measurements beside it in overhead.json."""

import os
from pathlib import Path

import run

OUT = Path(os.environ.get("MYR_OUT", run.ROOT / "out"))

if __name__ == "__main__":
    run.main(["--plot", str(OUT / "overhead.png"), "--json", str(OUT / "overhead.json")])
