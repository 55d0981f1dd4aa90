// SPDX-License-Identifier: Apache-2.0
//
// `myr doctor`: what a report of a fault needs to say about this installation and this computer,
// and what is wrong with them. It starts the compiler and the launchers of MPI to ask for their
// versions, and with a C++ compiler it compiles and runs a program of one task.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace myr::cli {

struct Checkup {
  std::vector<std::pair<std::string, std::string>> facts;  // a name, and what is so
  std::vector<std::string> faults;  // what does not work here, and what to do; empty: nothing
  std::vector<std::string> notes;   // what works, but not as one may think
};

// Takes some seconds, of which the compiler takes most.
[[nodiscard]] Checkup check_up();

// As a text for people, or as one JSON object.
[[nodiscard]] std::string describe(const Checkup& checkup);
[[nodiscard]] std::string describe_as_json(const Checkup& checkup);

}  // namespace myr::cli
