// SPDX-License-Identifier: Apache-2.0
//
// Random programs that mix all that the interface has, against the same programs run at once: plots
// of memory that live and die, whole or in part, by main's hand and by tasks'; every kind of access
// and of task; cancelled regions, exceptions, events, loops, reductions. Their tasks are no more
// than bytes, so that they run on every machine.
//
// myr_random_mixed [FIRST_SEED|clock [COUNT]]
#include "mixed_plots.hpp"
#include "seeds.hpp"

namespace myr::random_test {

namespace {

constexpr Word kDepth = 2;  // of plots that main makes

template <class How>
class Mixed {
 public:
  explicit Mixed(Word seed) : dice_(seed) {
    for (Plot*& plot : plots_) plot = Plots<How>::make(Region::root(), dice_.next(), kDepth);
    for (std::size_t i = 0; i < kPlots; ++i) learn(i);
    fill(locals_.data(), locals_.size(), 1);
  }

  // Returns what the program has seen and left.
  Word run() {
    const Word steps = 10 + dice_.below(120);
    for (Word step = 0; step < steps; ++step) take_step();
    see(How::wait_all());
    see(digest(locals_.data(), locals_.size()));
    see(digest(results_.data(), results_.size()));
    for (const Plot* const plot : plots_) {
      see(digest_plot(plot));
      How::free_region(plot->region);
    }
    return seen_;
  }

 private:
  static constexpr std::size_t kPlots = 4;

  void see(Word word) { seen_ = seen_ * 31 + word; }
  // What main knows of a plot without holding it.
  void learn(std::size_t i) {
    regions_[i] = plots_[i]->region;
    std::copy_n(plots_[i]->arrays.begin(), Plot::kKept, kept_[i].begin());
  }

  void take_step() {
    using Step = void (Mixed::*)();
    static constexpr Step kSteps[] = {&Mixed::tend,       &Mixed::tend,       &Mixed::tend,
                                      &Mixed::read,       &Mixed::read,       &Mixed::use_arrays,
                                      &Mixed::use_arrays, &Mixed::use_arrays, &Mixed::use_arrays,
                                      &Mixed::between,    &Mixed::look,       &Mixed::look_at_array,
                                      &Mixed::catch_all,  &Mixed::renew,      &Mixed::tend_by_own,
                                      &Mixed::use_locals, &Mixed::loop_local, &Mixed::cancel};
    which_ = dice_.below(kPlots);
    (this->*kSteps[dice_.below(std::size(kSteps))])();
  }

  void tend() {
    Plots<How>::spawn_tend(regions_[which_], plots_[which_], dice_.next(), kDepth, true);
  }
  void read() {
    Word& result = results_[dice_.below(results_.size())];
    Plots<How>::spawn_read(regions_[which_], plots_[which_], kDepth, result);
  }
  void use_arrays() { ArraySteps<How>(dice_, kept_[which_], true).take(); }
  // A step of two plots.
  void between() {
    const Array a = kept_[dice_.below(kPlots)][dice_.below(Plot::kKept)];
    const Array b = kept_[which_][dice_.below(Plot::kKept)];
    if (a.words == b.words) return;
    How::spawn(mix, in(a.words), a.count, inout(b.words), b.count, dice_.next());
  }
  void look() {
    Word& result = results_[dice_.below(results_.size())];
    How::wait(inout(result));
    see(result++);
  }
  void look_at_array() {
    const Array array = kept_[which_][dice_.below(Plot::kKept)];
    How::wait(in(array.words));
    see(digest(array.words, array.count));
  }
  void catch_all() { see(How::wait_all()); }
  // A plot dies, and another one is made, often where it was.
  void renew() {
    How::free_region(regions_[which_]);
    plots_[which_] = Plots<How>::make(Region::root(), dice_.next(), kDepth);
    learn(which_);
  }
  // Main frees what tasks have made, and makes what they will free.
  void tend_by_own() {
    How::wait(inout(regions_[which_]));
    Plots<How>::tend_memory(*plots_[which_], dice_, kDepth);
    see(digest_plot(plots_[which_]));
  }
  void use_locals() {
    const Word first = dice_.below(locals_.size());
    const Word count = 1 + dice_.below(locals_.size() - first);
    How::spawn(stir, inout(locals_.data() + first, count), count, dice_.next());
  }
  void loop_local() {
    Word* const words = locals_.data();
    const Word salt = dice_.next() | 1;
    How::for_each(Range{0, locals_.size()}, inout(words, part),
                  [words, salt](std::size_t i) { stir(words + i, 1, salt); });
  }
  void cancel() { Plots<How>::cancelled_scratch(Region::root(), dice_); }

  Dice dice_;
  Word seen_ = 0;
  std::size_t which_ = 0;
  std::array<Plot*, kPlots> plots_{};
  std::array<Region, kPlots> regions_{};
  std::array<std::array<Array, Plot::kKept>, kPlots> kept_{};
  std::array<Word, 500> locals_{};
  std::array<Word, 8> results_{};
};

bool is_as_at_once(Word seed) {
  const Word expected = Mixed<AtOnce>(seed).run();
  AtOnce::end();
  return Mixed<AsTasks>(seed).run() == expected;
}

}  // namespace

}  // namespace myr::random_test

int main(int argc, char** argv) {
  return myr::random_test::run_seeds(argc, argv, 100, myr::random_test::is_as_at_once);
}
