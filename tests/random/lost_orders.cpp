// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>

#include "orders.hpp"

namespace myr::random_test {

namespace {

void print(const char* what, const std::vector<Pair>& pairs, std::ostream& out) {
  for (const Pair& pair : pairs) {
    out << what << " T" << pair.first << " T" << pair.second << ' ' << pair.memory << '\n';
  }
}

std::vector<Pair> lost(const Orders& right, const Orders& broken, Orders::Which which) {
  const std::vector<Pair> before = right.unordered(which);
  const std::vector<Pair> now = broken.unordered(which);
  std::vector<Pair> lost;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::back_inserter(lost));
  return lost;
}

}  // namespace

void print_lost_orders(const Program& right, const Program& broken, std::ostream& out) {
  const Orders as_declared(right);
  const Orders as_broken(broken);
  print("unordered", as_declared.unordered(Orders::Which::AtAnyTime), out);
  print("lost", lost(as_declared, as_broken, Orders::Which::AtAnyTime), out);
  print("apart", lost(as_declared, as_broken, Orders::Which::Apart), out);
  print("declared", lost(as_declared, as_broken, Orders::Which::Declared), out);
  for (const std::string& use : as_broken.undeclared()) out << "undeclared " << use << '\n';
}

}  // namespace myr::random_test
