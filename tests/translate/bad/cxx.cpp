// SPDX-License-Identifier: Apache-2.0
#include <string>
struct Base {
  virtual ~Base() = default;
  virtual void change() = 0;
};
void use(const Base& base);

struct Holder {
  Base& base;
  int x = 0;
  void run() {
#pragma omp task inout(x)
    {
      base.change();
      x += 1;
      return;
    }
#pragma omp task
    use(base);
  }
};

void f(Base& base, std::string text) {
#pragma omp task
  base.change();
#pragma omp task
  {
    base.change();
    text += "a";
  }
}
