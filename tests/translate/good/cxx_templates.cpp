// SPDX-License-Identifier: Apache-2.0
//
// Tasks in templates and generic lambdas: what an access leads through is the caller's own, and a
// function that changes an argument changes the caller's, as without tasks. flags: -std=c++17
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Point {
  int x, y;
};
struct Sum {
  int total = 0;
  void add(int x) { total += x; }
  template <class T>
  void add_any(T x) {
    total += static_cast<int>(x);
  }
  int get() const { return total; }
};
template <class T>
void raise(T& x) {
  x += 1;
}
template <class T>
void raise_by(std::vector<T>& v, T by) {
  v[0] += by;
}
template <class T>
void set(T* to, const T* from, Point p) {
  *to = (from ? *from : 0) + p.x + p.y;
}
template <class T>
void store(T value, std::unique_ptr<T> more, T& to) {
  to = value + *more;
}
template <class T>
void look(const T& from, T& to) {
  to = from;
}

template <class T>
void of_vector(std::vector<T>& v, T one) {
#pragma omp task inout(v[0])
  v[0] += one;
#pragma omp task inout(v[0])
  raise_by(v, one);
#pragma omp task inout(v)
  raise_by<T>(v, one);
#pragma omp taskwait
}

template <class C>
void of_any(C& c) {
#pragma omp task inout(c[0])
  {
    c[0] += 1;
  }
#pragma omp task inout(c[0])
  raise(c[0]);
#pragma omp taskwait
}

template <class S>
void of_method(S& s, S* p, std::shared_ptr<S> shared) {
#pragma omp task inout(s)
  s.add(1);
#pragma omp task inout(s.total)
  s.template add_any<double>(1);
#pragma omp task
  p->add(1);
#pragma omp task inout(shared->total)
  shared->add(1);
#pragma omp taskwait
#pragma omp task
  s.add(s.get());
#pragma omp taskwait
}

template <class T, std::size_t N>
void of_array(std::array<T, N>& a, T (&c)[N], T x) {
#pragma omp task inout(a[0])
  a[0] = x;
#pragma omp task inout(c[0])
  c[0] = x;
#pragma omp task inout(c)
  raise(c[1]);
#pragma omp taskwait
}

template <class T>
void of_calls(T* x, T& y, T z) {
#pragma omp task inout(*x)
  set<T>(x, NULL, {2, 3});
#pragma omp task inout(*x)
  set(x, x, Point{1, 1});
#pragma omp task
  raise(y);
#pragma omp taskwait
  for (T i = 0; i < 3; ++i) {
#pragma omp task inout(z)
    look(i, z);
  }
#pragma omp task inout(*x) in(z)
  store(z, std::make_unique<T>(1), y);
#pragma omp taskwait
}

template <class T>
struct Holder {
  T value{};
  std::vector<T> v{T{}};
  void set(T x) {
#pragma omp task inout(v[0])
    v[0] = x;
#pragma omp task inout(value)
    value += x;
#pragma omp task in(v[0])inout(value)
    look(v[0], value);
#pragma omp taskwait
  }
};

auto twice = [](int* x) {
#pragma omp task inout(*x)
  *x *= 2;
#pragma omp taskwait
};

int main() {
  std::vector<int> v(1), w(1);
  std::vector<std::string> names{"a"};
  of_vector(v, 1);
  of_any(w);
  Sum s, t;
  auto shared = std::make_shared<Sum>();
  of_method(s, &t, shared);
  std::array<int, 2> a{};
  int c[2] = {};
  of_array(a, c, 5);
  int x = 0, y = 6;
  of_calls(&x, y, 0);
  Holder<int> holder;
  holder.set(3);
  twice(&x);
  auto generic = [](auto& r, auto by) {
#pragma omp task inout(r[0])
    r[0] += by;
#pragma omp taskwait
  };
  generic(w, 1);
  generic(names, "b");
  auto [k, l] = std::pair{1, 2};
  int sum = 0;
#pragma omp task out(sum)
  {
    sum = k + l;
  }
#pragma omp taskwait
  std::printf("%d %d %d %d %d %d %d %d %d %d %d %d %s %d\n", v[0], w[0], s.total, t.total,
              shared->total, a[0], c[0], c[1], x, y, holder.v[0], holder.value, names[0].c_str(),
              sum);
}
