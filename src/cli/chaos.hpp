// SPDX-License-Identifier: Apache-2.0
//
// `myr chaos`: runs a program in many random orders and compares what it prints, and how it ends,
// with the serial run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace myr::cli {

struct ChaosOptions {
  std::string machine;                // takes seeds
  unsigned runs = 10;                 // with seeds that follow each other
  std::optional<std::uint64_t> seed;  // the first; none: any
  std::vector<std::string> command;   // the program and its arguments
};

struct ChaosFound {
  std::uint64_t first_seed = 0;
  unsigned runs = 0;                        // how many there were
  int serial_status = 0;                    // of the serial run, as a shell gives it
  bool compares_output = true;              // false: that of two serial runs differs already
  std::optional<std::uint64_t> wrong_seed;  // none: all runs were right
  std::string difference;                   // what was wrong, one line or more
  std::string repeat;                       // a shell's command that runs it with this seed again
  bool repeats_exactly = false;             // it does so each time
};

// An exit status as a shell gives it, which may be a signal's, in words.
[[nodiscard]] std::string status_text(int status);

// Why a machine takes no seeds; empty: it does.
[[nodiscard]] std::string why_no_seeds(const std::string& machine);

// How an output differs from the expected one, in its first different line.
// REQUIRES: it does.
[[nodiscard]] std::string first_difference(const std::string& expected, const std::string& found);

// Runs the program until a run is wrong, or `runs` times. On a terminal it shows its progress. The
// program reads nothing from standard input. An error: no serial run comes to an end.
[[nodiscard]] base::Result<ChaosFound> try_orders(const ChaosOptions& options);

}  // namespace myr::cli
