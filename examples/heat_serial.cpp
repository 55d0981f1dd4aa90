// SPDX-License-Identifier: Apache-2.0
//
// The program that docs/tutorial/1-calls.md begins with: heat spreads along a rod.
#include <cstdio>
#include <vector>

constexpr int kBands = 8, kBand = 1'000, kSteps = 200;

using Band = std::vector<double>;

void smooth(const Band& left, const Band& here, const Band& right, Band& result) {
  for (int i = 0; i < kBand; ++i) {
    const double before = i == 0 ? left.back() : here[i - 1];
    const double after = i == kBand - 1 ? right.front() : here[i + 1];
    result[i] = (before + here[i] + after) / 3;
  }
}

int main() {
  std::vector<Band> rod(kBands, Band(kBand)), next = rod;
  rod[3].back() = 1'000'000;
  for (int step = 0; step < kSteps; ++step) {
    for (int b = 0; b < kBands; ++b) {
      const Band& left = rod[b == 0 ? 0 : b - 1];
      const Band& right = rod[b == kBands - 1 ? b : b + 1];
      smooth(left, rod[b], right, next[b]);
    }
    rod.swap(next);
  }
  std::printf("%.3f\n", rod[4].front());
}
