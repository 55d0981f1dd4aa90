# SPDX-License-Identifier: Apache-2.0
"""Inputs for real programs that use OpenMP, made by rule from fixed seeds, so that every run of a
program anywhere has the same ones."""

import random
from pathlib import Path

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
PICTURE_SIZE = (1200, 900)
GROMACS_RUN = """integrator = steep
nsteps = 40
emtol = 1
cutoff-scheme = Verlet
coulombtype = cutoff
rcoulomb = 0.9
rvdw = 0.9
"""
WATER = [(0.0, 0.0, 0.117), (0.0, 0.757, -0.469), (0.0, -0.757, -0.469)]
FFT_DRIVER = """
#include <stdio.h>
void *fftw_malloc(unsigned long);
void *fftw_plan_dft_2d(int, int, double (*)[2], double (*)[2], int, unsigned);
void fftw_execute(void *);
int fftw_init_threads(void);
void fftw_plan_with_nthreads(int);
int omp_get_max_threads(void);
int main(void) {
  enum { N = 256, FORWARD = -1, ESTIMATE = 1 << 6 };
  fftw_init_threads();
  fftw_plan_with_nthreads(omp_get_max_threads());
  double (*in)[2] = fftw_malloc(sizeof(double[2]) * N * N);
  double (*out)[2] = fftw_malloc(sizeof(double[2]) * N * N);
  void *plan = fftw_plan_dft_2d(N, N, in, out, FORWARD, ESTIMATE);
  for (int i = 0; i < N * N; ++i) in[i][0] = i % 13, in[i][1] = i % 7;
  for (int i = 0; i < 150; ++i) fftw_execute(plan);
  double sum = 0;
  for (int i = 0; i < N * N; ++i) sum += out[i][0] * (i % 3) + out[i][1];
  printf("%.6e\\n", sum);
}
"""
BLAS_DRIVER = """
#include <stdio.h>
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
int main(void) {
  const int n = 512;
  const double one = 1, zero = 0;
  double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = calloc(n * n, 8);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
  for (int i = 0; i < 30; ++i) dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += c[i] * (i % 11);
  printf("%.1f\\n", sum);
}
"""


def _mutated(source: random.Random, text: str, share: float, letters: str) -> str:
    return "".join(source.choice(letters) if source.random() < share else c for c in text)


def _letters(source: random.Random, count: int, letters: str) -> str:
    return "".join(source.choice(letters) for _ in range(count))


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


def write_sequences(folder: Path) -> None:
    """Proteins, clusters of short sequences, and a family as from a tree."""
    source = random.Random(7)
    base = _letters(source, 180, AMINO_ACIDS)
    proteins = []
    for number in range(90):
        share = 0.1 + source.random() * 0.4
        proteins += [f">p{number}", _mutated(source, base, share, AMINO_ACIDS)]
    _write(folder / "proteins.fa", proteins)
    clusters = []
    for number in range(150):
        base = _letters(source, 120, "acgt")
        for member in range(40):
            text = _mutated(source, base, source.random() * 0.05, "acgt")
            clusters += [f">n{number}_{member} count=1;", text]
    _write(folder / "clusters.fa", clusters)
    family = [_letters(source, 500, "ACGT")]  # each descends from one before, as in a tree
    while len(family) < 90:
        family.append(_mutated(source, source.choice(family), 0.08, "ACGT"))
    _write(folder / "family.fa", [w for i, t in enumerate(family) for w in (f">f{i}", t)])


def _pictures(folder: Path) -> None:
    from PIL import Image, ImageDraw, ImageFont

    one = Image.effect_mandelbrot(PICTURE_SIZE, (-2.2, -1.2, 1.0, 1.2), 60)
    two = one.transpose(Image.Transpose.ROTATE_180)
    picture = Image.merge("RGB", (one, two, one.point(lambda value: 255 - value)))
    for name in ("picture.ppm", "picture.png", "picture.jpg"):
        picture.save(folder / name)
    page = Image.new("L", (1400, 300), 255)
    font = ImageFont.load_default(28)
    lines = ("Runtimes schedule tasks on processors", "Each of 1234 loops is shared by threads")
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((40, 60 + 60 * number), line, fill=0, font=font)
    page.save(folder / "page.png")


def _cone(folder: Path) -> None:
    rows = [[(i * j * j + 3 * i + 7 * j) % 11 - 2 for j in range(7)] + [6] for i in range(30)]
    text = [" ".join(map(str, row)) for row in rows]
    head = ["amb_space 8", "cone 30"]
    _write(folder / "cone.in", [*head, *text, "grading", "0 0 0 0 0 0 0 1", "HilbertSeries"])


def _molecules(folder: Path) -> None:
    atoms = []
    for number in range(4):
        for place, name in enumerate("OHH"):
            x, y, z = WATER[place]
            atoms.append(
                f"{name} {x + 3.0 * (number % 2):.3f} {y + 3.0 * (number // 2):.3f} {z:.3f}"
            )
    _write(folder / "waters.xyz", ["12", "four molecules of water", *atoms])
    (folder / "run.mdp").write_text(GROMACS_RUN)
    _write(
        folder / "water.top",
        ['#include "oplsaa.ff/forcefield.itp"', '#include "oplsaa.ff/spce.itp"', "[ system ]"]
        + ["water", "[ molecules ]"],
    )


def make(folder: Path) -> None:
    """Writes all inputs into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_sequences(folder)
    _pictures(folder)
    _cone(folder)
    _molecules(folder)
    (folder / "data.bin").write_bytes(random.Random(3).randbytes(6_000_000))
    (folder / "fft.c").write_text(FFT_DRIVER)
    (folder / "blas.c").write_text(BLAS_DRIVER)
