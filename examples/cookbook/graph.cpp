// SPDX-License-Identifier: Apache-2.0
//
// A graph of jobs that is only known when the program runs, such as that of a build.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <vector>

struct Job {
  std::vector<std::size_t> needs;  // jobs in front of it
  unsigned result = 0;
};

int main() {
  std::vector<Job> jobs(1'000);
  for (std::size_t i = 1; i < jobs.size(); ++i)
    jobs[i].needs = {i - 1 - (i * 7) % i, i * 5 % i, i / 2};

  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<std::reference_wrapper<const unsigned>> needed;
    for (const std::size_t before : jobs[i].needs) needed.emplace_back(jobs[before].result);
    myr::spawn(
        myr::uses(myr::in(myr::each(needed))),
        [needed, i](unsigned& result) {
          result = static_cast<unsigned>(i);
          for (const unsigned& one : needed) result = result * 31 + one;
        },
        myr::out(jobs[i].result));
  }
  myr::wait(myr::in(jobs.back().result));
  std::printf("%u\n", jobs.back().result);
  myr::wait_all();  // before the jobs go
}
