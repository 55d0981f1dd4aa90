// SPDX-License-Identifier: Apache-2.0
//
// METG of rayon's scopes, whose dependences the program counts.
#include "rayon/rayon.hpp"

#include "metg/counters.hpp"

namespace {

using metg::Counters;

class Rayon final : public metg::Runtime {
 public:
  explicit Rayon(int threads) { rayon::rival_rayon_start(static_cast<std::size_t>(threads)); }

  void prepare(const metg::Graph& graph) override { counters_.prepare(graph); }
  void run(const metg::Graph&) override { rayon::rival_rayon_scope(start, this); }

 private:
  static void spawn(rayon::Scope* scope, Counters::Node* node) {
    rayon::rival_rayon_spawn(scope, run_from, node);
  }
  static void start(rayon::Scope* scope, void* data) {
    static_cast<Rayon*>(data)->counters_.start(
        [scope](Counters::Node* node) { spawn(scope, node); });
  }
  static void run_from(rayon::Scope* scope, void* data) {
    Counters::run_from(static_cast<Counters::Node*>(data),
                       [scope](Counters::Node* ready) { spawn(scope, ready); });
  }

  Counters counters_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  Rayon runtime(options.threads);
  return metg::run_program(options, {.name = "rayon"}, runtime);
}
