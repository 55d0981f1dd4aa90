# SPDX-License-Identifier: Apache-2.0
"""Measures the kernel, then renders a larger frame as a picture.

usage: run.py [OPTION...]     the options are those of kernel_ray_tracing, e.g. --task 8

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import io
import sys
from pathlib import Path

from PIL import Image

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))
import picture  # noqa: E402

WIDTH = 1200


def main() -> int:
    picture.measure("ray_tracing", sys.argv[1:])
    options = ["--size", str(WIDTH), "--task", "4", "--repeat", "1"]
    frame = picture.written_by("ray_tracing", [*options, "--image"])
    path = picture.path_of("balls.png")
    Image.open(io.BytesIO(frame)).save(path)
    print(f"picture     {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
