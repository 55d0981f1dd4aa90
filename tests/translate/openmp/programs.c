// SPDX-License-Identifier: Apache-2.0
//
// Programs in the ways that OpenMP tasks are usually written.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#define CUTOFF 64
/* ---- nqueens, BOTS style */
static int ok(int n, char* a) {
  int i, j;
  char p, q;
  for (i = 0; i < n; i++) {
    p = a[i];
    for (j = i + 1; j < n; j++) {
      q = a[j];
      if (q == p || q == p - (j - i) || q == p + (j - i)) return 0;
    }
  }
  return 1;
}
void nqueens(int n, int j, char* a, int* solutions, int depth) {
  int* csols;
  int i;
  if (n == j) {
    *solutions = 1;
    return;
  }
  *solutions = 0;
  csols = alloca(n * sizeof(int));
  memset(csols, 0, n * sizeof(int));
  for (i = 0; i < n; i++) {
#pragma omp task untied final(depth > 2) mergeable
    {
      char* b = alloca(n * sizeof(char));
      memcpy(b, a, j * sizeof(char));
      b[j] = (char)i;
      if (ok(j + 1, b)) nqueens(n, j + 1, b, &csols[i], depth + 1);
    }
  }
#pragma omp taskwait
  for (i = 0; i < n; i++) *solutions += csols[i];
}
static int total_count;
static int find_queens(int size) {
  total_count = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      char* a = alloca(size * sizeof(char));
      nqueens(size, 0, a, &total_count, 0);
    }
  }
  return total_count;
}
/* ---- merge sort */
static void merge(int* a, int* t, int lo, int mid, int hi) {
  int i = lo, j = mid, k = lo;
  while (i < mid && j < hi) t[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < mid) t[k++] = a[i++];
  while (j < hi) t[k++] = a[j++];
  memcpy(a + lo, t + lo, (hi - lo) * sizeof *a);
}
static void msort(int* a, int* t, int lo, int hi) {
  if (hi - lo < CUTOFF) {
    for (int i = lo + 1; i < hi; i++) {
      int v = a[i], j = i;
      while (j > lo && a[j - 1] > v) {
        a[j] = a[j - 1];
        j--;
      }
      a[j] = v;
    }
    return;
  }
  int mid = lo + (hi - lo) / 2;
#pragma omp task firstprivate(a, t, lo, mid)
  msort(a, t, lo, mid);
#pragma omp task firstprivate(a, t, mid, hi)
  msort(a, t, mid, hi);
#pragma omp taskwait
  merge(a, t, lo, mid, hi);
}
/* ---- sparse LU with depend */
#define NB 6
#define BS 8
typedef double block_t[BS][BS];
static block_t* A[NB][NB];
static block_t* new_block(void) {
  block_t* p = calloc(1, sizeof *p);
  return p;
}
static void lu0(block_t d) {
  for (int k = 0; k < BS; k++)
    for (int i = k + 1; i < BS; i++) {
      d[i][k] /= d[k][k];
      for (int j = k + 1; j < BS; j++) d[i][j] -= d[i][k] * d[k][j];
    }
}
static void bdiv(block_t d, block_t r) {
  for (int i = 0; i < BS; i++)
    for (int k = 0; k < BS; k++) {
      r[i][k] /= d[k][k];
      for (int j = k + 1; j < BS; j++) r[i][j] -= r[i][k] * d[k][j];
    }
}
static void fwd(block_t d, block_t c) {
  for (int j = 0; j < BS; j++)
    for (int k = 0; k < BS; k++)
      for (int i = k + 1; i < BS; i++) c[i][j] -= d[i][k] * c[k][j];
}
static void bmod(block_t r, block_t c, block_t in) {
  for (int i = 0; i < BS; i++)
    for (int j = 0; j < BS; j++)
      for (int k = 0; k < BS; k++) in[i][j] -= r[i][k] * c[k][j];
}
static double sparselu(void) {
  int ii, jj, kk;
  for (ii = 0; ii < NB; ii++)
    for (jj = 0; jj < NB; jj++) {
      A[ii][jj] = (ii == jj || (ii + jj) % 3 == 0) ? new_block() : NULL;
      if (A[ii][jj])
        for (int i = 0; i < BS; i++)
          for (int j = 0; j < BS; j++)
            (*A[ii][jj])[i][j] = (i * 7 + j * 3 + ii + jj) % 11 + (ii == jj && i == j ? 50 : 0);
    }
#pragma omp parallel private(kk, ii, jj)
#pragma omp single
  for (kk = 0; kk < NB; kk++) {
#pragma omp task firstprivate(kk) shared(A) depend(inout : A[kk][kk])
    lu0(*A[kk][kk]);
    for (jj = kk + 1; jj < NB; jj++)
      if (A[kk][jj] != NULL)
#pragma omp task firstprivate(kk, jj) shared(A) depend(in : A[kk][kk]) depend(inout : A[kk][jj])
        fwd(*A[kk][kk], *A[kk][jj]);
    for (ii = kk + 1; ii < NB; ii++)
      if (A[ii][kk] != NULL)
#pragma omp task firstprivate(kk, ii) shared(A) depend(in : A[kk][kk]) depend(inout : A[ii][kk])
        bdiv(*A[kk][kk], *A[ii][kk]);
    for (ii = kk + 1; ii < NB; ii++)
      if (A[ii][kk] != NULL)
        for (jj = kk + 1; jj < NB; jj++)
          if (A[kk][jj] != NULL) {
            if (A[ii][jj] == NULL) A[ii][jj] = new_block();
#pragma omp task firstprivate(kk, jj, ii) shared(A) depend(in : A[ii][kk], A[kk][jj]) \
    depend(inout : A[ii][jj])
            bmod(*A[ii][kk], *A[kk][jj], *A[ii][jj]);
          }
  }
  double s = 0;
  for (ii = 0; ii < NB; ii++)
    for (jj = 0; jj < NB; jj++)
      if (A[ii][jj])
        for (int i = 0; i < BS; i++)
          for (int j = 0; j < BS; j++) s += fabs((*A[ii][jj])[i][j]) * (1 + ii + 2 * jj);
  return s;
}
/* ---- cholesky tiles */
static void cholesky(int nt, int ts, double* Ah[nt][nt]) {
#pragma omp parallel
#pragma omp master
  for (int k = 0; k < nt; k++) {
#pragma omp task depend(inout : Ah[k][k][0 : ts * ts])
    {
      double* a = Ah[k][k];
      for (int c = 0; c < ts; c++) {
        a[c * ts + c] = sqrt(a[c * ts + c]);
        for (int r = c + 1; r < ts; r++) a[r * ts + c] /= a[c * ts + c];
        for (int j = c + 1; j < ts; j++)
          for (int r = j; r < ts; r++) a[r * ts + j] -= a[r * ts + c] * a[j * ts + c];
      }
    }
    for (int i = k + 1; i < nt; i++) {
#pragma omp task depend(in : Ah[k][k][0 : ts * ts]) depend(inout : Ah[i][k][0 : ts * ts])
      {
        double *a = Ah[k][k], *b = Ah[i][k];
        for (int c = 0; c < ts; c++)
          for (int r = 0; r < ts; r++) {
            for (int j = 0; j < c; j++) b[r * ts + c] -= b[r * ts + j] * a[c * ts + j];
            b[r * ts + c] /= a[c * ts + c];
          }
      }
    }
    for (int i = k + 1; i < nt; i++) {
      for (int j = k + 1; j < i; j++) {
#pragma omp task depend(in : Ah[i][k][0 : ts * ts], Ah[j][k][0 : ts * ts]) \
    depend(inout : Ah[i][j][0 : ts * ts])
        {
          double *a = Ah[i][k], *b = Ah[j][k], *c = Ah[i][j];
          for (int r = 0; r < ts; r++)
            for (int q = 0; q < ts; q++)
              for (int p = 0; p < ts; p++) c[r * ts + q] -= a[r * ts + p] * b[q * ts + p];
        }
      }
#pragma omp task depend(in : Ah[i][k][0 : ts * ts]) depend(inout : Ah[i][i][0 : ts * ts])
      {
        double *a = Ah[i][k], *c = Ah[i][i];
        for (int r = 0; r < ts; r++)
          for (int q = 0; q < ts; q++)
            for (int p = 0; p < ts; p++) c[r * ts + q] -= a[r * ts + p] * a[q * ts + p];
      }
    }
  }
}
/* ---- UTS-ish */
static int tree_count;
static void uts(unsigned seed, int depth) {
  unsigned kids = depth > 7 ? 0 : seed % 5;
#pragma omp atomic
  tree_count++;
  for (unsigned k = 0; k < kids; k++) {
#pragma omp task untied
    uts(seed * 1103515245u + 12345u + k * 77u >> 1, depth + 1);
  }
}
/* ---- knapsack with critical */
static int best, W[16], V[16];
static void knap(int i, int cap, int val) {
  if (i == 14) {
#pragma omp critical(best)
    if (val > best) best = val;
    return;
  }
  if (W[i] <= cap) {
#pragma omp task firstprivate(i, cap, val) if (i < 6)
    knap(i + 1, cap - W[i], val + V[i]);
  }
#pragma omp task if (i < 6)
  knap(i + 1, cap, val);
#pragma omp taskwait
}
/* ---- stencil with depend */
static double stencil(void) {
  const int N = 256, B = 32, T = 10;
  static double u[2][258];
  static char tag[2][10];  // of each block, and one on either side
  for (int i = 0; i <= N + 1; i++) u[0][i] = u[1][i] = i % 17;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < T; t++)
    for (int b = 0; b < N / B; b++) {
      double *in = u[t % 2], *out = u[(t + 1) % 2];
      char *was = tag[t % 2], *is = tag[(t + 1) % 2];
      int lo = 1 + b * B;
#pragma omp task depend(in : was[b], was[b + 1], was[b + 2]) depend(out : is[b + 1])
      for (int i = lo; i < lo + B; i++) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
    }
  double s = 0;
  for (int i = 0; i <= N + 1; i++) s += u[T % 2][i] * i;
  return s;
}
int main(int argc, char** argv) {
  printf("queens %d\n", find_queens(7));
  int n = 3000, *a = malloc(n * sizeof *a), *t = malloc(n * sizeof *t);
  long check = 0;
  for (int i = 0; i < n; i++) a[i] = (i * 7919) % 10007;
#pragma omp parallel
  {
#pragma omp single nowait
    {
      msort(a, t, 0, n);
    }
  }
  for (int i = 0; i < n; i++) check += (long)a[i] * i;
  printf("sort %ld\n", check);
  printf("lu %.9g\n", sparselu());
  int nt = 4, ts = 6;
  double* Ah[nt][nt];
  for (int i = 0; i < nt; i++)
    for (int j = 0; j < nt; j++) {
      Ah[i][j] = malloc(ts * ts * sizeof(double));
      for (int k = 0; k < ts * ts; k++)
        Ah[i][j][k] = 1.0 / (1 + i + j + k % ts) + (i == j && k % (ts + 1) == 0 ? 40 : 0);
    }
  cholesky(nt, ts, Ah);
  double s = 0;
  for (int i = 0; i < nt; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < ts * ts; k++) s += Ah[i][j][k];
  printf("chol %.9g\n", s);
#pragma omp parallel
#pragma omp single
  uts(42u * 3 + 1, 0);
  printf("uts %d\n", tree_count);
  for (int i = 0; i < 14; i++) {
    W[i] = 3 + i * 5 % 11;
    V[i] = 10 + i * 7 % 13;
  }
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp task untied
      knap(0, 40, 0);
    }
  }
  printf("knap %d\n", best);
  printf("stencil %.9g\n", stencil());
  return 0;
}
