/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are tasks wherever they are called, and a function that spawns in a header.
 */
#ifndef ANNOTATED_H
#define ANNOTATED_H

#pragma omp task in([n]from) out([n]to)
void copy(const double* from, double* to, int n);

#pragma omp task inout(tile[0; rows][0; columns])
static void grow(int stride, double tile[][stride], int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) tile[i][j] = 2 * tile[i][j] + 1;
}

#pragma omp task inout(*count)
void tick(long* count, char by);

static inline void tick_often(long* count, int times) {
  for (int i = 0; i < times; i++) tick(count, 1);
#pragma omp task inout(*count)
  *count *= 2;
}
#endif
