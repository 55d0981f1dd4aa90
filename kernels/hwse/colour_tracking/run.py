# SPDX-License-Identifier: Apache-2.0
"""Follows a box by its colour through a video, compares with OpenCV and draws the track.

usage: run.py [--video FILE] [OPTION...]     FILE: any video; default: a hand that moves an orange
                                             box, from Debian's package opencv-doc. The other
                                             options are those of kernel_colour_tracking.

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out). The video is kept in .cache.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "common"))

import packages  # noqa: E402
import picture  # noqa: E402

CACHE = FOLDER.parents[1] / ".cache" / "videos"
BOX = "usr/share/doc/opencv-doc/opencv4/html/box.mp4.gz"
EVERY = 2  # frames of the video are left out, so that all fit a few hundred megabytes
NO_VIDEO = {"-h", "--help", "--json", "--size", "--frames"}
LIMITS = {"hue-low": 14, "hue-high": 32, "saturation": 150, "brightness": 100}


def box_video() -> Path:
    video = CACHE / "box.mp4"
    if not video.exists():
        packages.copy_from_debian("opencv-doc", BOX, CACHE)
        packed = CACHE / "box.mp4.gz"
        video.write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return video


def read_frames(video: Path) -> list[np.ndarray]:
    """Frames as red, green and blue."""
    os.environ["OPENCV_FFMPEG_LOGLEVEL"] = "-8"  # it complains of pauses in the video
    import cv2

    reader = cv2.VideoCapture(str(video))
    frames = []
    while True:
        there, frame = reader.read()
        if not there:
            return frames[::EVERY]
        frames.append(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))


def write_frames(frames: list[np.ndarray], path: Path) -> None:
    height, width = frames[0].shape[:2]
    with path.open("wb") as file:
        for frame in frames:
            file.write(f"P6\n{width} {height}\n255\n".encode() + frame.tobytes())


def opencv_sums(frames: list[np.ndarray], limits: argparse.Namespace) -> np.ndarray:
    """What the kernel writes of each frame, from OpenCV."""
    import cv2

    low = (limits.hue_low, limits.saturation, limits.brightness)
    high = (limits.hue_high, 255, 255)
    rows = []
    for frame in frames:
        marks = cv2.inRange(cv2.cvtColor(frame, cv2.COLOR_RGB2HSV), low, high)
        moments = cv2.moments(marks, binaryImage=True)
        rows.append([moments[name] for name in ("m00", "m10", "m01", "m20", "m11", "m02")])
    return np.array(rows).astype(int)


def main() -> int:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--video", type=Path)
    for name, value in LIMITS.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    chosen, options = parser.parse_known_args()
    program = picture.program("colour_tracking")
    if NO_VIDEO & set(options):
        return subprocess.run([program, *sys.argv[1:]], check=False).returncode
    packages.require(FOLDER / "requirements.txt")
    source = chosen.video or box_video()
    frames = read_frames(source)
    if not frames:
        print(f"run.py: cannot read {source} as a video", file=sys.stderr)
        return 1
    limits = [f"--{name}={getattr(chosen, name.replace('-', '_'))}" for name in LIMITS]
    with tempfile.TemporaryDirectory() as scratch:
        video, out = Path(scratch) / "video.ppm", Path(scratch) / "track.txt"
        write_frames(frames, video)
        command = [program, "--video", video, "--out", out, *limits, *options]
        status = subprocess.run(command, check=False).returncode
        if status != 0:
            return status
        track = np.loadtxt(out, dtype=int, ndmin=2)
    same = np.array_equal(track, opencv_sums(frames, chosen))
    print(f"frames      {len(frames)} of {source.name}")
    print(f"opencv      {'the same sums in all frames' if same else 'WRONG: other sums'}")

    import track_picture

    path = picture.path_of("colour_tracking.png")
    track_picture.draw(frames, track, path)
    print(f"picture     {path}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
