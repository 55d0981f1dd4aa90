// SPDX-License-Identifier: Apache-2.0
//
// METG of Myrmidon, which finds the dependences anew in each run.
#include "metg/myrmidon.hpp"

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  metg::Myrmidon runtime(static_cast<unsigned>(options.threads));
  return metg::run_program(options, {.name = "myrmidon"}, runtime);
}
