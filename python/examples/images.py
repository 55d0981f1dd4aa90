# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A pipeline of images
#
# Each frame is made, blurred, its contrast is stretched, and it is handed on in order. Some frames
# are under way at a time: a ring of buffers, which are used again and again. Each stage of a frame
# waits for what it needs; nobody says so.

# %%
import numpy as np

import myrmidon as myr
from myrmidon import In, InOut, Out, task, wait

FRAMES, RING, HEIGHT, WIDTH = 40, 6, 96, 128
written: list[tuple[int, int]] = []


@task
def draw(number, frame: Out):
    """A frame: a bright disc that moves."""
    y, x = np.ogrid[:HEIGHT, :WIDTH]
    frame[...] = np.hypot(y - HEIGHT / 2, x - 3 * number) < 20
    frame *= 100


@task
def blur(source: In, target: Out):
    """Rows of a frame, each the mean of three: source has a row more on either side."""
    target[...] = (source[:-2] + source[1:-1] + source[2:]) / 3


@task
def stretch(frame: InOut):
    """The brightest pixel becomes 255."""
    frame *= 255 / max(frame.max(), 1)


@task
def write(number, frame: In):
    """Stands for a file or a window, of which frames have to come in order."""
    written.append((number, round(frame.max())))


# %% [markdown]
# `write` uses something that is no array: the order of its calls is a token's. Bands of a frame
# are blurred by tasks of their own, which share rows that they only read.

# %%
output = myr.Token()
ring = [(np.zeros((HEIGHT, WIDTH)), np.zeros((HEIGHT, WIDTH))) for _ in range(RING)]
for number in range(FRAMES):
    raw, smooth = ring[number % RING]
    draw(number, raw)
    for row in range(1, HEIGHT - 1, 47):
        end = min(row + 47, HEIGHT - 1)
        blur(raw[row - 1 : end + 1], smooth[row:end])
    stretch(smooth)
    write.uses(InOut(output))(number, smooth)
wait()

# %%
in_order = [number for number, _ in written] == list(range(FRAMES))
bright = all(most == 255 for _, most in written)
print(f"{len(written)} frames, " + ("in order" if in_order and bright else "wrong"))
