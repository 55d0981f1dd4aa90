// SPDX-License-Identifier: Apache-2.0
//
// Prints a random program in a form one can follow by hand: tasks indented below their spawner.
#include <ostream>
#include <sstream>
#include <string>

#include "program.hpp"

namespace myr::random_test {

namespace {

const char* name(const Access& access) {
  if (access.way == Way::Commutative) return "commutative";
  if (access.way == Way::Concurrent) return "concurrent";
  return access.mode == Mode::In ? "in" : access.mode == Mode::Out ? "out" : "inout";
}

std::string text(const Program& program, const Access& access) {
  const Target& target = access.target;
  std::string result = std::string(access.is_weak       ? "weak "
                                   : access.no_transfer ? "notransfer "
                                                        : "") +
                       name(access);
  if (target.is_region) return result + " R" + std::to_string(target.index);
  result += (program.objects[target.index].region == kNoRegion ? " m" : " o") +
            std::to_string(target.index);
  if (target.is_whole) return result;
  return result + "[" + std::to_string(target.first) + "+" + std::to_string(target.count) + "]";
}

std::string text(const Program& program, const std::vector<Access>& accesses) {
  std::string result;
  for (const Access& access : accesses) {
    result += (result.empty() ? "" : ", ") + text(program, access);
  }
  return "(" + result + ")";
}

std::string object_text(const Program& program, unsigned object) {
  const ObjectPlan& plan = program.objects[object];
  std::ostringstream result;
  result << 'o' << object;
  if (plan.region != kNoRegion) result << " in R" << plan.region;
  result << ", " << plan.words << " words";
  return result.str();
}

class Dump {
 public:
  Dump(const Program& program, std::ostream& out) : program_(program), out_(out) {}

  void task(unsigned index, unsigned depth) {
    for (const Step& step : program_.tasks[index].steps) {
      out_ << std::string(2 * depth, ' ') << line(step) << '\n';
      if (step.kind == Step::Kind::Spawn) task(step.index, depth + 1);
    }
  }

 private:
  [[nodiscard]] std::string line(const Step& step) const {
    const std::string index = std::to_string(step.index);
    switch (step.kind) {
      case Step::Kind::Touch:
        return "touch " + text(program_, step.access);
      case Step::Kind::Spawn:
        return "spawn T" + index + " " + text(program_, program_.tasks[step.index].accesses);
      case Step::Kind::Wait:
        return "wait " + text(program_, step.accesses);
      case Step::Kind::WaitAll:
        return "wait_all";
      case Step::Kind::NewRegion:
        return "new R" + index + " in R" + std::to_string(program_.region_parent[step.index]);
      case Step::Kind::FreeRegion:
        return "free R" + index;
      case Step::Kind::Allocate:
        return "allocate " + std::to_string(step.count) + " from " +
               object_text(program_, step.index);
      case Step::Kind::Reallocate:
        return "reallocate o" + std::to_string(step.old_index) + " to " +
               object_text(program_, step.index);
      case Step::Kind::Free:
        return "free o" + index;
      case Step::Kind::DeclareLocal:
        return "local m" + index + ", " + std::to_string(program_.objects[step.index].words) +
               " words";
      case Step::Kind::Spin:
        return "spin " + std::to_string(step.count);
    }
    return "?";
  }

  const Program& program_;
  std::ostream& out_;
};

}  // namespace

void dump(const Program& program, std::ostream& out) {
  for (unsigned i = 0; i < program.global_count; ++i) {
    out << "global m" << i << ", " << program.objects[i].words << " words\n";
  }
  Dump(program, out).task(kMainTask, 0);
}

}  // namespace myr::random_test
