// SPDX-License-Identifier: Apache-2.0
//
// A static object has tasks before main begins and after it has returned. On mpi the first of these
// are each process's own.
#include <cstdio>
#include <myr/myr.hpp>

namespace {

int number_of_task(int number) {
  int found = 0;
  myr::spawn([number](int& written) { written = number; }, myr::out(found));
  myr::wait(myr::in(found));
  return found;
}

struct Object {
  Object() : first(number_of_task(1)) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { std::printf("%d", number_of_task(3)); }
  int first;
};
const Object object;

}  // namespace

int main() {
  std::printf("%d%d", object.first, number_of_task(2));
  return 0;
}
