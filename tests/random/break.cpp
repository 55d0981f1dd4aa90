// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"
#include "rng.hpp"

namespace myr::random_test {

namespace {

using Accesses = std::vector<Access>;

// Less than half of the words, but some; nothing to narrow: none of them.
void narrow(const Program& program, Accesses& accesses, std::size_t which) {
  Target& target = accesses[which].target;
  const unsigned words = target.is_region  ? 0
                         : target.is_whole ? program.objects[target.index].words
                                           : target.count;
  if (words < 2) {
    accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(which));
    return;
  }
  if (target.is_whole) target.first = 0;
  target.is_whole = false;
  target.count = words / 2;
}

void weaken(Accesses& accesses, std::size_t which) {
  Access& access = accesses[which];
  if (access.mode == Mode::In) {
    accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(which));
  } else {
    access.mode = Mode::In;
    access.way = Way::Usual;
  }
}

}  // namespace

void break_one_access(Program& program) {
  Rng random(program.seed);
  std::vector<Accesses*> some;
  for (TaskPlan& task : program.tasks) {
    if (!task.accesses.empty()) some.push_back(&task.accesses);
  }
  if (some.empty()) return;
  Accesses& accesses = *some[random.below(static_cast<unsigned>(some.size()))];
  const std::size_t which = random.below(static_cast<unsigned>(accesses.size()));
  switch (random.below(3)) {
    case 0:
      accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(which));
      break;
    case 1:
      weaken(accesses, which);
      break;
    default:
      narrow(program, accesses, which);
  }
}

}  // namespace myr::random_test
