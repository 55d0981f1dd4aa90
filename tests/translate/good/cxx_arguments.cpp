// SPDX-License-Identifier: Apache-2.0
//
// Arguments that read what their task declares, through containers, members and operators.
// flags: -std=c++17
#include <unistd.h>

#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

static void slow_set(int& x) {
  usleep(20000);
  x = 42;
}
static void keep(int value, int& to) { to = value; }
static void keep_reference(const int& value, int& to) { to = value; }
static void keep_size(std::size_t n, int& to) { to = static_cast<int>(n); }

static void elements() {
  std::vector<int> v{1, 2, 3};
  std::map<std::string, int> m{{"a", 1}};
  std::vector<int> grown;
  int r[6] = {};
#pragma omp task inout(v[0])
  slow_set(v[0]);
#pragma omp task inout(m["a"])
  slow_set(m["a"]);
#pragma omp task in(v[0]) out(r[0])
  keep(v[0], r[0]);
#pragma omp task in(v[0]) out(r[1])
  keep_reference(v[0], r[1]);
#pragma omp task in(v[0]) out(r[2])
  keep(v.front(), r[2]);
#pragma omp task in(v[0]) out(r[3])
  keep(*v.begin() + 1, r[3]);
#pragma omp task in(m.at("a")) out(r[4])
  keep(m.find("a")->second, r[4]);
#pragma omp task inout(grown)
  {
    usleep(20000);
    grown.resize(9);
  }
#pragma omp task in(grown) out(r[5])
  keep_size(grown.size(), r[5]);
#pragma omp taskwait
  std::printf("%d %d %d %d %d %d\n", r[0], r[1], r[2], r[3], r[4], r[5]);
}

class Counter {
 public:
  void run() {
#pragma omp task inout(value_)
    slow_set(value_);
#pragma omp task in(value_) out(seen_)
    keep(value_, seen_);
#pragma omp task in(value_) out(other_)
    keep(get(), other_);
#pragma omp taskwait
    std::printf("%d %d\n", seen_, other_);
  }

 private:
  int get() const { return value_; }
  int value_ = 1, seen_ = 0, other_ = 0;
};

int main() {
  elements();
  Counter().run();
}
