// SPDX-License-Identifier: Apache-2.0
//
// The FAST kernel: options, the photo, both versions and the checks. See README.md.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/photo.hpp"
#include "common/program.hpp"
#include "hwse/fast/check.hpp"
#include "hwse/fast/fast.h"

namespace {

using kernels::Photo;

constexpr std::size_t kSideMin = 2 * FAST_BORDER + 1;
constexpr std::size_t kWidthMax = 16384;

struct Options {
  std::size_t task = 4;
  std::size_t threshold = 20;
  std::string style = "tasks";
  std::string suppress = "yes";
  kernels::PhotoOptions photo;
};

// The program's data, with a place for its results.
struct Detector {
  Detector(const Photo& photo, const Options& options)
      : scores(photo.pixels.size()), columns(photo.pixels.size()), counts(photo.height) {
    program = {.width = photo.width,
               .height = photo.height,
               .band = options.task,
               .threshold = static_cast<std::uint8_t>(options.threshold),
               .all = options.suppress == "no",
               .loops = options.style == "loops",
               .pixels = photo.pixels.data(),
               .scores = scores.data(),
               .columns = columns.data(),
               .counts = counts.data()};
  }
  // Nothing found yet. The border rows stay so.
  void clear() {
    std::fill(scores.begin(), scores.end(), 0);
    std::fill(counts.begin(), counts.end(), 0);
  }

  std::vector<std::uint8_t> scores;
  std::vector<std::uint16_t> columns;
  std::vector<std::uint32_t> counts;
  fast program{};
};

std::string text_of(const std::vector<fast_check::Corner>& corners) {
  std::string text;
  for (const auto& [x, y, score] : corners) {
    text += std::to_string(x) + ' ' + std::to_string(y) + ' ' + std::to_string(score) + '\n';
  }
  return text;
}

std::string verify(const fast& f, const std::string& expect) {
  const auto corners = fast_check::listed(f);
  if (corners != fast_check::defined(f)) return "not the corners of the definition";
  return expect.empty() ? "" : kernels::difference(text_of(corners), expect);
}

Photo load(const Options& options) {
  Photo photo = options.photo.load();
  if (photo.width < kSideMin || photo.height < kSideMin) {
    throw std::runtime_error("the photo is too small");
  }
  return photo;
}

void parse(kernels::Program& program, Options& options, int argc, char** argv) {
  options.photo.add_to(program, kWidthMax);
  program.option("task", options.task, {1, kWidthMax}, "rows of a task");
  program.option("threshold", options.threshold, {1, 254}, "contrast of a corner");
  program.styles(options.style);
  program.choice("suppress", options.suppress, {"yes", "no"},
                 "keep only corners that outdo their neighbours");
  program.parse(argc, argv);
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("fast", "FAST-9 corners of a photo, tasks for each band of rows");
  Options options;
  parse(program, options, argc, argv);
  const Photo photo = load(options);
  Detector expected(photo, options);
  Detector result(photo, options);
  std::size_t corner_count = 0;
  program.report("corners", corner_count);
  const int status = program.run({
      .prepare = [&] { expected.clear(), result.clear(); },
      .serial = [&] { fast_serial(&expected.program); },
      .parallel = [&] { fast_tasks(&result.program); },
      .same =
          [&] {
            const auto corners = fast_check::listed(result.program);
            corner_count = corners.size();
            return result.scores == expected.scores &&
                   corners == fast_check::listed(expected.program);
          },
      .verify = [&] { return verify(result.program, options.photo.expect); },
  });
  options.photo.write(text_of(fast_check::listed(result.program)));
  return status;
}
