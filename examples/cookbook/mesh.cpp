// SPDX-License-Identifier: Apache-2.0
//
// A mesh of patches, each with the neighbours that the mesh happens to have.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <vector>

using Cells = std::vector<double>;

struct Patch {
  std::vector<std::size_t> neighbours;
  Cells now, next;
};

void relax(const std::vector<const Cells*>& around, const Cells& now, Cells& next) {
  double mean = 0;
  for (const Cells* cells : around) mean += (*cells)[0];
  mean /= static_cast<double>(around.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    next[i] = (now[i] + now[(i + 1) % now.size()] + mean) / 3;
  }
}

int main() {
  constexpr std::size_t kPatches = 50, kCells = 200, kSteps = 100;
  std::vector<Patch> mesh(kPatches);
  for (std::size_t p = 0; p < kPatches; ++p) {
    mesh[p].neighbours = {(p + 1) % kPatches, p * p % kPatches, p / 2};
    mesh[p].now.assign(kCells, static_cast<double>(p));
    mesh[p].next = mesh[p].now;
  }
  for (std::size_t step = 0; step < kSteps; ++step) {
    for (Patch& patch : mesh) {
      std::vector<std::reference_wrapper<const Cells>> names;
      std::vector<const Cells*> around;
      for (const std::size_t p : patch.neighbours) {
        names.emplace_back(mesh[p].now);
        around.push_back(&mesh[p].now);
      }
      myr::spawn(
          myr::uses(myr::in(myr::each(names))),
          [around](const Cells& now, Cells& next) { relax(around, now, next); }, myr::in(patch.now),
          myr::out(patch.next));
    }
    for (Patch& patch : mesh) {
      myr::spawn([](Cells& now, Cells& next) { now.swap(next); }, myr::inout(patch.now),
                 myr::inout(patch.next));
    }
  }
  myr::wait_all();
  double sum = 0;
  for (const Patch& patch : mesh) sum += patch.now[0];
  std::printf("%.6f\n", sum);
}
