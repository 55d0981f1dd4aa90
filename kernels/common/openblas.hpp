// SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS, if it is installed: loaded when a kernel is asked to use it, so that nothing else
// depends on it. It is told to be sequential; the tasks are the parallelism.
//
// Threads: load_openblas() by the main thread, before it starts others; the functions by any.
#pragma once

namespace kernels {

// The numbers of the C interface of BLAS. All matrices here are stored by columns.
enum BlasOrder : int { kByColumns = 102 };
enum BlasTranspose : int { kNotTransposed = 111, kTransposed = 112 };
enum BlasHalf : int { kLower = 122 };
enum BlasDiagonal : int { kNotUnit = 131 };
enum BlasSide : int { kRight = 142 };

struct OpenBlas {
  void (*sgemm)(BlasOrder, BlasTranspose, BlasTranspose, int rows, int columns, int inner,
                float alpha, const float* a, int a_stride, const float* b, int b_stride, float beta,
                float* c, int c_stride);
  void (*dgemm)(BlasOrder, BlasTranspose, BlasTranspose, int rows, int columns, int inner,
                double alpha, const double* a, int a_stride, const double* b, int b_stride,
                double beta, double* c, int c_stride);
  void (*dsyrk)(BlasOrder, BlasHalf, BlasTranspose, int rows, int inner, double alpha,
                const double* a, int a_stride, double beta, double* c, int c_stride);
  void (*dtrsm)(BlasOrder, BlasSide, BlasHalf, BlasTranspose, BlasDiagonal, int rows, int columns,
                double alpha, const double* l, int l_stride, double* x, int x_stride);
  void (*dpotrf)(const char* half, const int* rows, double* a, const int* a_stride, int* info);
};

// nullptr: it is not installed. Lives as long as the program.
[[nodiscard]] const OpenBlas* load_openblas();

}  // namespace kernels
