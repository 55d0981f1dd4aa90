// SPDX-License-Identifier: Apache-2.0
//
// Programs in the ways that OpenMP tasks are usually written.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
template <class T>
T fib(T n) {
  if (n < 2) return n;
  T x, y;
#pragma omp task shared(x) firstprivate(n)
  x = fib<T>(n - 1);
#pragma omp task shared(y) firstprivate(n)
  y = fib<T>(n - 2);
#pragma omp taskwait
  return x + y;
}
struct Node {
  int value;
  std::unique_ptr<Node> l, r;
};
std::unique_ptr<Node> build(int d) {
  auto n = std::make_unique<Node>();
  n->value = d;
  if (d) {
    n->l = build(d - 1);
    n->r = build(d - 1);
  }
  return n;
}
int sum(const Node* n) {
  if (!n) return 0;
  int a = 0, b = 0;
#pragma omp task shared(a)
  a = sum(n->l.get());
#pragma omp task shared(b)
  b = sum(n->r.get());
#pragma omp taskwait
  return a + b + n->value;
}
class Solver {
 public:
  explicit Solver(std::size_t n) : x_(n, 1.0), y_(n, 2.0) {}
  void saxpy(double a) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(64)
    for (std::size_t i = 0; i < x_.size(); ++i) y_[i] += a * x_[i];
  }
  double dot() const {
    double s = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : s)
    for (std::size_t i = 0; i < x_.size(); ++i) s += x_[i] * y_[i];
    return s;
  }
  void member_tasks() {
#pragma omp parallel
#pragma omp single
    {
      for (std::size_t b = 0; b < 4; ++b) {
#pragma omp task
        touch(b);
      }
    }
  }
  void touch(std::size_t b) { x_[b] = 100 + double(b); }
  double total() const { return std::accumulate(x_.begin(), x_.end(), 0.0); }

 private:
  std::vector<double> x_, y_;
};
void quicksort(std::vector<int>& v, int lo, int hi) {
  if (hi - lo < 20) {
    std::sort(v.begin() + lo, v.begin() + hi);
    return;
  }
  int p = v[lo + (hi - lo) / 2];
  auto m1 = std::partition(v.begin() + lo, v.begin() + hi, [p](int x) { return x < p; });
  auto m2 = std::partition(m1, v.begin() + hi, [p](int x) { return x == p; });
  int a = int(m1 - v.begin()), b = int(m2 - v.begin());
#pragma omp task shared(v) firstprivate(lo, a)
  quicksort(v, lo, a);
#pragma omp task shared(v) firstprivate(hi, b)
  quicksort(v, b, hi);
#pragma omp taskwait
}
void strings() {
  std::vector<std::string> words(8);
  std::string* w = words.data();
  std::vector<double> part(4, 0.0);
  double all = 0;
  int items = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      for (std::size_t i = 0; i < words.size(); ++i) {
#pragma omp task depend(out : w[i]) firstprivate(i)
        words[i] = std::string(i + 1, 'a');
#pragma omp task depend(inout : w[i])
        words[i] += "b";
      }
#pragma omp taskgroup
      {
        for (int k = 0; k < 4; ++k)
#pragma omp task
          part[k] = k * 1.5;
      }
      for (double& p : part) {
#pragma omp task
        p *= 2;
      }
#pragma omp taskwait
      for (double p : part) all += p;
#pragma omp taskloop
      for (auto it = words.begin(); it != words.end(); ++it) {
#pragma omp critical
        items += int(it->size());
      }
    }
  }
  std::printf("words %s %zu %g %d\n", words[3].c_str(), words.size(), all, items);
}
void sections() {
  int counts[3] = {0, 0, 0};
#pragma omp parallel sections
  {
#pragma omp section
    counts[0] = 1;
#pragma omp section
    {
#pragma omp task shared(counts)
      counts[1] = 2;
    }
  }
  std::vector<int> squares(10);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 10; ++i) squares[i] = i * i;
  std::printf("sections %d %d squares %d\n", counts[0], counts[1],
              std::accumulate(squares.begin(), squares.end(), 0));
}
int main() {
  int f = 0;
#pragma omp parallel
#pragma omp single
  f = fib(12);
  std::printf("fib %d\n", f);
  auto tree = build(7);
  int s = 0;
#pragma omp parallel shared(s)
  {
#pragma omp single
    s = sum(tree.get());
  }
  std::printf("tree %d\n", s);
  Solver solver(1000);
  solver.saxpy(3);
  std::printf("dot %g\n", solver.dot());
  solver.member_tasks();
  std::printf("total %g\n", solver.total());
  std::vector<int> v(2000);
  for (int i = 0; i < 2000; ++i) v[i] = (i * 7919) % 1999;
#pragma omp parallel
#pragma omp single nowait
  quicksort(v, 0, int(v.size()));
  std::printf("sorted %d\n", int(std::is_sorted(v.begin(), v.end())));
  strings();
  sections();
}
