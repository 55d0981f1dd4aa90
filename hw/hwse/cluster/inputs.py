# SPDX-License-Identifier: Apache-2.0
"""The inputs of the applications: headers with parts of a photograph and of OpenCV's cascade for
faces, as small as the cluster's scratchpad needs them."""

from __future__ import annotations

import io
import xml.etree.ElementTree as xml
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

from PIL import Image

CASCADE = Path("/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml")
STAGES = 4  # of its 25, of which the first drop most windows
POINT = 16  # bits behind the binary point of thresholds
SLACK = 1e-5  # by which OpenCV lowers the thresholds of stages


def photo() -> Image.Image:
    """Grace Hopper, taken by the US Navy, which Matplotlib brings along."""
    file = "matplotlib/mpl-data/sample_data/grace_hopper.jpg"
    return Image.open(str(distribution("matplotlib").locate_file(file)))


def array(kind: str, name: str, values: Iterable[object]) -> str:
    words = [str(value) for value in values]
    lines = (", ".join(words[i : i + 16]) for i in range(0, len(words), 16))
    return f"OUTSIDE static const {kind} {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def grey(box: tuple[int, int, int, int], size: tuple[int, int]) -> str:
    """A part of the photograph, brought to a size."""
    part = photo().convert("L").resize(size, Image.Resampling.BOX, box)
    sizes = f"enum {{ PHOTO_WIDTH = {size[0]}, PHOTO_HEIGHT = {size[1]} }};\n"
    return sizes + array("uint8_t", "kPhoto", part.tobytes())


def picture(box: tuple[int, int, int, int], size: tuple[int, int]) -> str:
    """Such a part as a JPEG file, with all colours and a restart marker for each row of blocks."""
    part = photo().convert("RGB").resize(size, Image.Resampling.BOX, box)
    file = io.BytesIO()
    part.save(file, "JPEG", quality=75, subsampling=0, restart_marker_rows=1)
    return array("uint8_t", "kPicture", file.getvalue())


def fixed(number: float) -> int:
    return round(number * (1 << POINT))


def corners(x: int, y: int, width: int, height: int, row: int) -> str:
    left = y * row + x
    below = left + height * row
    return f"{{{left}, {left + width}, {below}, {below + width}}}"


def numbers(node: xml.Element, name: str) -> list[float]:
    return [float(word) for word in node.findtext(name, "").split()]


def stumps(stage: xml.Element, features: list[xml.Element], row: int) -> Iterator[str]:
    for stump in stage.iterfind("weakClassifiers/_"):
        _, _, feature, threshold = numbers(stump, "internalNodes")
        rectangles, weights = [], []
        for rectangle in features[int(feature)].iterfind("rects/_"):
            words = (rectangle.text or "").split()
            x, y, width, height = map(int, words[:4])
            rectangles.append(f"{{{corners(x, y, width, height, row)}}}")
            weights.append(str(round(float(words[4]))))
        below, above = map(fixed, numbers(stump, "leafValues"))
        yield (
            f"{{{{{', '.join(rectangles)}}}, {{{', '.join(weights)}}}, {fixed(threshold)}, {below},"
            f" {above}}}"
        )


def cascade(photo_width: int) -> str:
    """Its first stages in fixed point, for integral images of a photograph so wide."""
    top = xml.parse(CASCADE).getroot().find("cascade")
    if top is None:
        raise SystemExit(f"hwse: {CASCADE} is no cascade")
    width, height = (int(top.findtext(name, "")) for name in ("width", "height"))
    row = 2 * (photo_width + 1)
    features = list(top.iterfind("features/_"))
    stages, flat = [], []
    for stage in list(top.iterfind("stages/_"))[:STAGES]:
        tests = list(stumps(stage, features, row))
        least = fixed(numbers(stage, "stageThreshold")[0] - SLACK)
        stages.append(f"{{{len(tests)}, {least}}}")
        flat += tests
    area = (width - 2) * (height - 2)
    return (
        f"enum {{ CASCADE_POINT = {POINT}, CASCADE_INSIDE = {area} }};\n"
        f"static const struct vj_stage kStages[] = {{{', '.join(stages)}}};\n"
        + array("struct vj_stump", "kStumps", flat)
        + f"static const struct vj_cascade kCascade = {{{width}, {height},"
        f" {{{corners(1, 1, width - 2, height - 2, row)}}}, {area}, kStages, 0, {len(stages)}}};\n"
    )
