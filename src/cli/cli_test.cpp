// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "cli/launch.hpp"
#include "cli/machines.hpp"

using myr::cli::Variable;

TEST_CASE("options become environment variables, and only those that were given") {
  CHECK(myr::cli::environment_of({.command = {"./a"}}).empty());
  const auto variables = myr::cli::environment_of({.machine = "smp:3",
                                                   .stats = true,
                                                   .trace_file = "t.json",
                                                   .graph_file = "g.dot",
                                                   .command = {"./a"}});
  CHECK(variables == std::vector<Variable>{{"MYR_ON", "smp:3"},
                                           {"MYR_STATS", "1"},
                                           {"MYR_TRACE", "t.json"},
                                           {"MYR_GRAPH", "g.dot"}});
}

TEST_CASE("a program that does not exist is reported as a shell would") {
  const auto failure = myr::cli::launch({.command = {"/nonexistent/program"}});
  CHECK(failure.exit_status == 127);
  CHECK(failure.text == "cannot run /nonexistent/program: no such program");
  CHECK(myr::cli::launch({.command = {"/"}}).exit_status == 126);
}

TEST_CASE("this computer has processors, and both descriptions name the machines") {
  auto computer = myr::cli::this_computer();
  REQUIRE(static_cast<bool>(computer));
  CHECK(computer->thread_count >= 1);
  const std::string json = myr::cli::describe_machines_as_json(*computer);
  const std::string text = myr::cli::describe_machines(*computer);
  for (const auto& machine : myr::cli::machines()) {
    CHECK(text.find(machine.name) != std::string::npos);
    CHECK(json.find(machine.name) != std::string::npos);
  }
}
