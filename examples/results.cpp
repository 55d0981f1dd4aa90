// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/5-errors.md: what tasks return and throw, and whose it is.
#include <algorithm>
#include <cstdio>
#include <myr/myr.hpp>
#include <stdexcept>
#include <vector>

int largest(const std::vector<int>& all) { return *std::max_element(all.begin(), all.end()); }

int main() {
  std::vector<int> v{3, 1, 2};
  myr::Future<int> most = myr::async(largest, myr::in(v));
  myr::Future<int> twice = myr::async([](int x) { return 2 * x; }, myr::in(most));
  std::printf("twice: %d\n", twice.get());

  const auto element = [](const std::vector<int>& all, int i) { return all.at(i); };
  myr::Future<int> missing = myr::async(element, myr::in(v), 100);
  try {
    std::printf("element: %d\n", missing.get());
  } catch (const std::out_of_range&) {
    std::printf("no such element\n");
  }

  const auto step = [](int before, int i) {
    if (i == 3) throw std::runtime_error("step 3");
    return before + i;
  };
  try {
    std::vector<myr::Future<int>> steps;
    steps.push_back(myr::async([] { return 0; }));
    for (int i = 1; i < 6; ++i) steps.push_back(myr::async(step, myr::in(steps.back()), i));
    std::printf("steps: %d\n", steps.back().get());
  } catch (const std::runtime_error& failure) {
    std::printf("stopped at %s\n", failure.what());
  }

  int left = 0;
  int right = 0;
  {
    myr::Scope scope;
    scope.spawn([](int& x) { x = 1; }, myr::out(left));
    scope.spawn([](int& x) { x = 2; }, myr::out(right));
  }
  std::printf("both: %d\n", left + right);
}
