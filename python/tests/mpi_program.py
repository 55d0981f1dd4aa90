# SPDX-License-Identifier: Apache-2.0
"""A program for mpi: what test_mpi.py expects, it prints."""

import os

import mpi_bodies as bodies
import numpy as np

import myrmidon as myr
from myrmidon import In, InOut, task, wait

matrix = np.zeros((64, 64))
for _ in range(3):
    for i in range(0, 64, 16):
        for j in range(0, 64, 16):
            bodies.add(matrix[i : i + 16, j : j + 16], i + j)
bodies.add(matrix[::-1, ::2], 1)
wait(In(matrix))
print("tiles", matrix.sum())

region = myr.Region()
arrays = [region.zeros(1000) for _ in range(8)]
for array in arrays:
    for _ in range(5):
        bodies.add(array, 1)
result = np.zeros(1)
bodies.total(arrays, result)
wait()
print("lists", result[0])

bodies.branch(arrays[0], 4)
bodies.copy(arrays[1], arrays[0], arrays[0].nbytes)
wait(In(arrays[1]))
print("native", arrays[1].sum())

places = [region.zeros(1) for _ in range(32)]
for place in places:
    bodies.who(place)
wait()
print("processes", len({int(place[0]) for place in places} | {os.getpid()}) > 1)


@task
def here(x: InOut, pid):
    assert os.getpid() == pid  # of the program itself: no other process knows it
    x += 1


for place in places:
    here(place, os.getpid())
wait()

bodies.fail(arrays[0])
try:
    wait()
except (KeyError, RuntimeError) as error:
    print("failure", "far away" in str(error))

for _ in range(100):
    bodies.add(np.ones(100), 1)  # nobody but the task has it
wait()
print("end")
