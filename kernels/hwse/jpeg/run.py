# SPDX-License-Identifier: Apache-2.0
"""Decodes real photographs, compares each with Pillow's decoder and draws them on one sheet.

usage: run.py [OPTION...]     the options are those of kernel_jpeg, e.g. --task 4 --style loops;
                              with --photo or --size it runs on that alone and draws nothing

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the pictures go
(default out). The photographs are kept in .cache.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "common"))

import packages  # noqa: E402
import picture  # noqa: E402

ONE_RUN = {"-h", "--help", "--json", "--photo", "--size", "--out"}
SHEET_WIDTH = 1800
SHEET_ROW = 3.4  # width of a row of photographs for a height of 1
GAP = 12
CAPTION = 44  # height of a photograph's caption


@dataclass
class Decoded:
    name: str
    pixels: np.ndarray
    report: dict


def decode(program: Path, source: Path, options: list[str]) -> Decoded:
    """Lets the kernel decode and check a photograph. Ends this program if that fails."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "photo.ppm"
        command = [program, "--photo", source, "--out", out, "--check", "--json", *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if result.returncode != 0:
            print(result.stdout, end="")
            sys.exit(result.returncode)
        report = json.loads(result.stdout)
        bytes_behind_head = report["width"] * report["height"] * 3
        pixels = np.frombuffer(out.read_bytes()[-bytes_behind_head:], np.uint8)
    return Decoded(source.stem, pixels.reshape(report["height"], report["width"], 3), report)


def is_pillows(photo: Decoded, source: Path) -> bool:
    from PIL import Image

    with Image.open(source) as image:
        return np.array_equal(photo.pixels, np.asarray(image.convert("RGB")))


def line(photo: Decoded, same: bool) -> str:
    report = photo.report
    size = f"{report['width']} x {report['height']}"
    times = f"{1000 * report['serial_s']:8.2f} {1000 * report['parallel_s']:10.2f}"
    verdict = "the same pixels" if same else "WRONG: other pixels"
    return f"{photo.name:14} {size:>11} {times} {report['speed_up']:9.2f}  {verdict}"


def rows_of(photos: list[Decoded]) -> list[list[Decoded]]:
    """Photographs side by side until a row is wide enough."""
    rows: list[list[Decoded]] = [[]]
    width = 0.0
    for photo in photos:
        if width >= SHEET_ROW:
            rows.append([])
            width = 0.0
        rows[-1].append(photo)
        width += photo.report["width"] / photo.report["height"]
    return rows


def draw(photos: list[Decoded], path: Path) -> None:
    """Rows of photographs, each row as wide as the sheet, with a caption below each."""
    from matplotlib import font_manager
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 17)
    strips = []
    for row in rows_of(photos):
        ratios = [photo.report["width"] / photo.report["height"] for photo in row]
        height = round((SHEET_WIDTH - GAP * (len(row) + 1)) / sum(ratios))
        strip = Image.new("RGB", (SHEET_WIDTH, height + GAP + CAPTION), "#16181c")
        pen = ImageDraw.Draw(strip)
        x = GAP
        for photo, ratio in zip(row, ratios, strict=True):
            size = (round(height * ratio), height)
            strip.paste(
                Image.fromarray(photo.pixels).resize(size, Image.Resampling.LANCZOS), (x, GAP)
            )
            milliseconds = 1000 * photo.report["parallel_s"]
            text = f"{photo.report['width']} x {photo.report['height']}, {milliseconds:.1f} ms"
            pen.text((x, GAP + height + 8), text, font=font, fill="#b8bec8")
            x += size[0] + GAP
        strips.append(strip)
    sheet = Image.new("RGB", (SHEET_WIDTH, sum(strip.height for strip in strips)))
    y = 0
    for strip in strips:
        sheet.paste(strip, (0, y))
        y += strip.height
    sheet.save(path)


def main() -> int:
    program = picture.program("jpeg")
    options = sys.argv[1:]
    if ONE_RUN & {option.split("=")[0] for option in options}:
        return subprocess.run([program, *options], check=False).returncode
    packages.require(FOLDER / "requirements.txt")
    import photos

    decoded = []
    wrong = 0
    print(f"{'photo':14} {'size':>11} {'serial ms':>8} {'tasks ms':>9} {'speed-up':>9}  Pillow has")
    for source in photos.small() + photos.large():
        decoded.append(decode(program, source, options))
        same = is_pillows(decoded[-1], source)
        wrong += not same
        print(line(decoded[-1], same), flush=True)
    machine = decoded[-1].report["machine"]
    print(f"machine     {machine}, style {decoded[-1].report['style']}; all the same as libjpeg's")
    path = picture.path_of("jpeg.png")
    draw(decoded, path)
    print(f"picture     {path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
