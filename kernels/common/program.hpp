// SPDX-License-Identifier: Apache-2.0
//
// The frame that all kernels share: options, timing, the check against the serial twin, and the
// report. A kernel gives its name, its options and a few functions; the frame runs the serial and
// the task version in turn, takes medians and compares the results. With --measure it times one of
// them alone, so that nothing of the other is awake meanwhile: so do the benchmarks. On a simulated
// machine, times are those of the machine (virtual_time.hpp).
//
//   int kernel_main(int argc, char** argv) {
//     kernels::Program program("fib", "Fibonacci numbers, a task for each call");
//     std::int64_t n = 27;
//     program.option("size", n, {0, 90}, "which number to compute");
//     program.parse(argc, argv);
//     return program.run({.serial = ..., .parallel = ..., .same = ...});
//   }
//
// Threads: everything runs on the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kernels {

// What a kernel hands to the frame.
struct Kernel {
  std::function<void()> prepare = {};  // before each pair of runs, untimed; optional
  std::function<void()> serial;        // the plain program
  std::function<void()> parallel;      // the task program, with its last wait
  std::function<bool()> same;          // do both results agree, bit for bit?
  std::function<std::string()> verify =
      {};  // for --check: an independent check of the task version's
           // result; returns what is wrong, or nothing; optional
};

template <class Number>
struct Range {
  Number low;
  Number high;
};

class Program {
 public:
  // `name` is the kernel's, as in reports; `text` is what --help says about it.
  Program(std::string name, std::string text);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Adds the option --NAME with the default that `value` has now. Reports list these options in
  // this order. REQUIRES: `value` lives until run() returns.
  void option(const std::string& name, std::int64_t& value, Range<std::int64_t> range,
              const std::string& text);
  void option(const std::string& name, std::size_t& value, Range<std::size_t> range,
              const std::string& text);
  void option(const std::string& name, double& value, Range<double> range, const std::string& text);
  // An option that names a file; empty: not asked for. Not part of reports.
  void option(const std::string& name, std::string& path, const std::string& text);

  // An option that is one of a few words, e.g. --style tasks; reports list it like a number.
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& values,
              const std::string& text);

  // The option --style of programs that are written in both styles.
  void styles(std::string& value);

  // Makes `--named NAME` stand for these options, such as "--size 4096 --task 8": an input of a
  // paper.
  void named(const std::string& name, const std::string& options);

  // A number of the result that reports list with the options. REQUIRES: as above.
  void report(const std::string& name, const std::int64_t& value);
  void report(const std::string& name, const std::size_t& value);

  // Reads the command line. Ends the program after --help (status 0) or a bad option (another
  // status).
  void parse(int argc, char** argv);

  // Ends the program like a bad option does: for rules that join several options.
  [[noreturn]] void refuse(const std::string& why) const;
  // Does so unless the rule holds.
  void require(bool holds, const std::string& rule) const {
    if (!holds) refuse(rule);
  }

  // Measures, checks and reports. Returns the exit status: 0, or 1 after a wrong result.
  [[nodiscard]] int run(const Kernel& kernel) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One that lies in a grid of `rows` times `columns` and is not right, in words; or nothing.
template <class IsRight>
[[nodiscard]] std::string find_wrong(std::size_t rows, std::size_t columns,
                                     const IsRight& is_right) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (!is_right(row, column)) {
        return "row " + std::to_string(row) + ", column " + std::to_string(column);
      }
    }
  }
  return "";
}

[[nodiscard]] constexpr bool is_power_of_two(std::size_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace kernels

// What a kernel defines in place of main(). A std::runtime_error ends it with a message, status 2.
int kernel_main(int argc, char** argv);
