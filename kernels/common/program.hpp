// SPDX-License-Identifier: Apache-2.0
//
// The frame that all kernels share: options, timing, the check against the serial twin, and the
// report. A kernel gives its name, its options and a few functions; the frame runs the serial and
// the task version in turn, takes medians and compares the results. With --measure it times one of
// them alone, so that nothing of the other is awake meanwhile: so do the benchmarks. On a simulated
// machine, times are those of the machine (virtual_time.hpp).
//
//   kernels::Program program("fib", "Fibonacci numbers, a task for each call");
//   std::int64_t n = 27;
//   program.option("size", n, {0, 90}, "which number to compute");
//   program.parse(argc, argv);
//   return program.run({.serial = ..., .parallel = ..., .same = ...});
//
// Threads: everything runs on the main thread.
#pragma once

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
  void option(const std::string& name, double& value, Range<double> range, const std::string& text);
  // An option that names a file; empty: not asked for. Not part of reports.
  void option(const std::string& name, std::string& path, const std::string& text);

  // An option that is one of a few words, e.g. --style tasks; reports list it like a number.
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& values,
              const std::string& text);

  // Makes `--named NAME` stand for these options, such as "--size 4096 --task 8": an input of a
  // paper.
  void named(const std::string& name, const std::string& options);

  // A number of the result that reports list with the options. REQUIRES: as above.
  void report(const std::string& name, const std::int64_t& value);

  // Reads the command line. Ends the program after --help (status 0) or a bad option (another
  // status).
  void parse(int argc, char** argv);

  // Ends the program like a bad option does: for rules that join several options.
  [[noreturn]] void refuse(const std::string& why) const;

  // Measures, checks and reports. Returns the exit status: 0, or 1 after a wrong result.
  [[nodiscard]] int run(const Kernel& kernel) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernels
