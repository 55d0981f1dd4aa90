// SPDX-License-Identifier: Apache-2.0
//
// A program of another C++ library than Myrmidon's: its exceptions go through tasks and waits, and
// it never sees that Myrmidon is C++, too.
#include <cstdio>
#include <cstdlib>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Mine final : public std::runtime_error {
 public:
  Mine(const std::string& what, int number) : runtime_error(what), number_(number) {}
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

void expect(bool condition, const char* text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", text);
  std::exit(1);
}

// Many throw, at two levels: the first one's exception comes; the others are destroyed.
void throw_in_tasks() {
  static std::vector<int> numbers(100);
  for (int& number : numbers) {
    myr::spawn(
        [](int& held) {
          myr::spawn([](int&) { throw Mine("inner", 1); }, myr::inout(held));
          throw Mine("outer", 2);
        },
        myr::inout(number));
  }
  try {
    myr::wait_all();
    expect(false, "nothing was rethrown");
  } catch (const Mine& mine) {
    expect(mine.number() == 1 && mine.what() == std::string("inner"), "another was rethrown");
  }
}

void wait_in_catch() {
  static int number = 0;
  try {
    throw Mine("before", 3);
  } catch (const Mine&) {
    for (int i = 0; i < 100; ++i) {
      myr::spawn([](int& held) { held += 1; }, myr::inout(number));
    }
    myr::wait(myr::in(number));
    try {
      throw;
    } catch (const Mine& again) {
      expect(again.number() == 3 && number == 100, "another was caught");
    }
  }
}

}  // namespace

int main() {
  throw_in_tasks();
  wait_in_catch();
  return 0;
}
