// SPDX-License-Identifier: Apache-2.0
//
// Iterators, smart pointers and views, of which a task gets a copy, beside the objects that own the
// memory, of which it does not. flags: -std=c++20
#include <unistd.h>

#include <array>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>
static void inc(int& x) {
  usleep(1000);
  ++x;
}
struct Box {
  int v = 1;
  int* p = nullptr;
  int& get() { return v; }
  const int& get() const { return v; }
};
struct View {
  int* p;
  int& at(int i) const { return p[i]; }
};
template <class C>
void all(C& c) {
  for (auto it = c.begin(); it != c.end(); ++it) {
#pragma omp task inout(*it)
    {
      usleep(1000);
      *it += 1;
    }
  }
  for (auto it = c.begin(); it != c.end(); ++it) {
#pragma omp task inout(*it)
    inc(*it);
  }
#pragma omp taskwait
}
template <class P>
void through(P p) {
#pragma omp task inout(*p)
  {
    *p += 1;
  }
#pragma omp task inout(*p)
  inc(*p);
#pragma omp taskwait
}
template <class P>
void member(P p, P& q) {
#pragma omp task inout(p->v)
  {
    p->v += 1;
  }
#pragma omp task inout(q->v)
  inc(q->v);
#pragma omp taskwait
}
template <class B>
void dot(B& b, B c) {
#pragma omp task inout(b.v)
  {
    b.v += 1;
  }
#pragma omp task inout(b.get())
  b.get() += 1;
#pragma omp task inout(c.v)
  c.v += 1;
#pragma omp taskwait
  std::printf("c %d\n", c.v);
}
static void by_iterator(std::vector<int>& v) {
  for (auto it = v.begin(); it != v.end(); ++it) {
#pragma omp task inout(*it)
    {
      usleep(1000);
      *it += 1;
    }
  }
}
static void by_entry(std::map<int, int>& m) {
  for (auto it = m.begin(); it != m.end(); ++it) {
#pragma omp task inout(it->second)
    {
      usleep(1000);
      it->second += 1;
    }
  }
  for (auto& [k, w] : m) {
#pragma omp task inout(w)
    {
      usleep(1000);
      w += k;
    }
#pragma omp task inout(w)
    inc(w);
  }
}
int main() {
  std::vector<int> v{1, 2, 3};
  std::list<int> l{1, 2, 3};
  std::deque<int> d{1, 2, 3};
  std::map<int, int> m{{1, 1}, {2, 2}};
  all(v);
  all(l);
  all(d);
  by_iterator(v);
  by_entry(m);
  for (int i = 0; i < 3; ++i) {
    std::shared_ptr<int> s = std::make_shared<int>(i);
#pragma omp task inout(*s)
    {
      usleep(1000);
      *s += 1;
      if (*s > 5) std::puts("?");
    }
    View view{&v[i]};
#pragma omp task inout(view.at(0))
    {
      usleep(1000);
      view.at(0) += 1;
    }
    std::span<int> sp(v.data() + i, 1);
#pragma omp task inout(sp[0])
    {
      usleep(1000);
      sp[0] += 1;
    }
  }
#pragma omp taskwait
  int x = 1;
  through(&x);
  auto u = std::make_unique<int>(1);
  auto sh = std::make_shared<int>(1);
  through(sh);
  through(&*u);
  through(v.begin());
  std::array<int, 2> a{};
  std::optional<int> o = 1;
  const std::optional<int>& co = o;
  int seen = 0;
#pragma omp task inout(a[0])
  a[0] = 1;
#pragma omp task inout(*o)
  *o = 2;
#pragma omp task in(*co)out(seen)
  seen = *co;
#pragma omp task inout(*u)
  *u += 1;
  Box b, *pb = &b;
  auto sb = std::make_shared<Box>();
#pragma omp task inout(b.get())
  b.get() += 1;
#pragma omp taskwait
  member(sb, sb);
  member(pb, pb);
  dot(b, b);
  const std::string text = "abc";
  char first = 0;
#pragma omp task in(text[0])out(first)
  first = text[0];
#pragma omp taskwait
  for (int i : v) std::printf("%d ", i);
  for (int i : l) std::printf("%d ", i);
  for (int i : d) std::printf("%d ", i);
  for (auto& [k, w] : m) std::printf("%d ", w);
  std::printf("%d %d %d %d %d %d %d %d %c\n", x, *u, *sh, a[0], *o, seen, b.v, sb->v, first);
}
