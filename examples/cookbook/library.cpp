// SPDX-License-Identifier: Apache-2.0
//
// A library that uses tasks inside, called by tasks of a program that does not know of that.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <stdexcept>
#include <vector>

// The library: an ordinary function, which happens to use tasks.
double norm(const std::vector<double>& v) {
  if (v.empty()) throw std::invalid_argument("norm of nothing");
  double sum = 0;
  myr::Scope scope;
  scope.reduce_each(myr::range(v.size()), myr::reduce(sum, std::plus<>()), myr::in(v, myr::part),
                    [](auto i, auto x) { return x[i] * x[i]; });
  scope.wait();  // for its own tasks, and nobody else's
  return sum;
}

// The program.
int main() {
  std::vector<std::vector<double>> parts(10, std::vector<double>(10'000, 0.5));
  parts[7].clear();
  std::vector<myr::Future<double>> norms;
  for (const auto& part : parts) norms.push_back(myr::async(norm, myr::in(part)));
  double sum = norm(parts[0]);  // main calls it, too
  for (myr::Future<double>& one : norms) {
    try {
      sum += one.get();
    } catch (const std::invalid_argument& failure) {
      std::printf("%s\n", failure.what());
    }
  }
  std::printf("%.1f\n", sum);
}
