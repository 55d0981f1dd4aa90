// SPDX-License-Identifier: Apache-2.0
//
// Blocks and annotated functions as tasks in C++.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace shop {

class Counter {
 public:
  explicit Counter(int step) : step_(step) {}
  void run() {
    for (int i = 0; i < 4; ++i) {
#pragma omp task inout(total_)
      {
        total_ += step_ * i;
        bump();
      }
    }
#pragma omp taskwait
  }
  int total() const { return total_; }

 private:
  void bump() { total_ += 1000; }
  int step_;
  int total_ = 0;
};

struct Point {
  int x = 0, y = 0;
};

#pragma omp task inout([n]data)
void scale(double* data, int n, double factor = 2);

#pragma omp task inout(to) in(from)
inline void join(std::string& to, const std::string& from) { to += from; }

#pragma omp task inout(p)
void move(Point& p, Point by) {
  p.x += by.x;
  p.y += by.y;
}

void scale(double* data, int n, double factor) {
  for (int i = 0; i < n; ++i) data[i] *= factor;
}

}  // namespace shop

template <class T, class... More>
T sum_of(T first, More... more) {
  T sum{};
#pragma omp task out(sum)
  {
    T parts[] = {first, static_cast<T>(more)...};
    for (T part : parts) sum += part;
  }
#pragma omp taskwait
  return sum;
}

template <class Container>
void sort_all(Container& container) {
  auto begin = container.begin();
  const auto end = container.end();
  using Value = typename Container::value_type;
#pragma omp task inout(container)
  {
    Value least{};
    std::sort(begin, end, [&](const Value& a, const Value& b) { return least + a < b; });
  }
#pragma omp taskwait
}

static void local_things() {
  struct Local {
    int value;
  };
  enum { kOffset = 5 };
  static int lasting = 1;
  constexpr int size = 3;
  Local local{7};
  std::vector<int> copied{1, 2, 3}, shared;
  const std::map<std::string, int> map{{"a", 1}, {"b", 2}};
  int array[size] = {1, 2, 3};
#pragma omp task inout(shared, lasting)
  {
    for (int v : copied) shared.push_back(v + local.value + kOffset);
    for (const auto& [key, value] : map) shared.push_back(value + static_cast<int>(key[0]));
    lasting += array[0] + size;
  }
  copied.push_back(1000);
  int made = 0;
#pragma omp task out(made) private(local)
  {
    local.value = 4;
    made = [&] { return local.value; }();
  }
  auto spawn = [&](int by) {
#pragma omp task inout(made)
    made += by;
  };
  for (int i = 0; i < 3; ++i) spawn(i);
#pragma omp taskwait
  int sum = 0;
  for (int v : shared) sum += v;
  std::printf("%d %d %d %d %zu %s\n", sum, lasting, array[0], made, copied.size(), __func__);
}

static void annotated() {
  using namespace shop;
  double data[4] = {1, 2, 3, 4};
  std::string text = "x", more = "y";
  Point p;
  scale(data, 4, 3);
  shop::scale(data + 1, 2, 10);
  join(text, more);
  join(text, "literal");
  for (int i = 0; i < 3; move(p, {i, 1}), ++i) continue;
#pragma omp taskwait
  std::printf("%g %g %s %d %d\n", data[1], data[3], text.c_str(), p.x, p.y);
}

static int depth_first(int n) {
  if (n == 0) return 1;
  int a = 0, b = 0;
#pragma omp task out(a) if (n > 3) final(n < 3)
  a = depth_first(n - 1);
#pragma omp task out(b)
  b = depth_first(n - 1);
#pragma omp taskwait on(a, b)
  return a + b;
}

int main() {
  shop::Counter counter(3);
  counter.run();
  std::vector<double> v{3, 1, 2};
  std::array<std::string, 3> s{"c", "a", "b"};
  sort_all(v);
  sort_all(s);
  std::printf("%d %g %s %d %g\n", counter.total(), v[1], s[2].c_str(), sum_of(1, 2, 3),
              sum_of(1.5, 2));
  local_things();
  annotated();
  std::printf("%d\n", depth_first(6));
}
