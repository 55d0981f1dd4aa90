// SPDX-License-Identifier: Apache-2.0
//
// A loop of events, as of a window, that must not wait for tasks; and threads beside tasks.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <thread>

using namespace std::chrono_literals;

// What Qt's event loop and asio's io_context are to this program: it calls what is due.
struct Loop {
  std::function<void()> on_tick;
  bool is_over = false;

  void run() {
    while (!is_over) {
      on_tick();
      std::this_thread::sleep_for(1ms);
    }
  }
};

long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
void compute(int n, long& result) { result = fibonacci(n); }

int main() {
  long results[3] = {};
  int n = 20;
  for (long& result : results) myr::spawn(myr::later, compute, n++, myr::out(result));

  std::size_t next = 0;
  Loop loop;
  loop.on_tick = [&] {
    if (!myr::is_ready(myr::in(results[next]))) return;  // the window stays alive
    std::printf("%ld\n", results[next]);
    loop.is_over = ++next == 3;
  };
  loop.run();

  long sum = 0;
  std::thread thread([&sum] {  // any thread may spawn, and waits for its own tasks
    long left = 0;
    long right = 0;
    myr::spawn(compute, 20, myr::out(left));
    myr::spawn(compute, 19, myr::out(right));
    myr::wait_all();
    sum = left + right;
  });
  thread.join();
  std::printf("%ld\n", sum);
}
