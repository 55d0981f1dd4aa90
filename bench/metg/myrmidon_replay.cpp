// SPDX-License-Identifier: Apache-2.0
//
// METG of Myrmidon with a recording: a graph is a step, whose first run, which is not timed, is
// analysed, and whose later ones are replayed.
#include "metg/myrmidon.hpp"

namespace {

class Replaying final : public metg::Myrmidon {
 public:
  using Myrmidon::Myrmidon;
  ~Replaying() override { myr_recording_free(recording_); }

  // Recorded, and made ready to be replayed.
  void prepare(const metg::Graph& graph) override {
    myr_recording_free(recording_);
    recording_ = myr_recording_new();
    run(graph);
    run(graph);
  }

  void run(const metg::Graph& graph) override {
    myr_step_begin(recording_);
    spawn_all(graph);
    myr_step_end(recording_);
    myr_wait_all();
  }

 private:
  myr_recording recording_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  Replaying runtime(static_cast<unsigned>(options.threads));
  return metg::run_program(options, {.name = "myrmidon-replay"}, runtime);
}
