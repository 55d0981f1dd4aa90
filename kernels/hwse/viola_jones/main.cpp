// SPDX-License-Identifier: Apache-2.0
//
// The Viola-Jones kernel: options, photo and cascade, both versions and the checks. See README.md.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/photo.hpp"
#include "common/program.hpp"
#include "hwse/viola_jones/cascade.hpp"
#include "hwse/viola_jones/check.hpp"
#include "hwse/viola_jones/detector.hpp"
#include "hwse/viola_jones/grouping.hpp"

namespace {

using faces::Box;
using kernels::Photo;

constexpr std::size_t kWidthMax = 4096;

struct Options {
  std::size_t task = 4;
  std::int64_t neighbours = 4;
  std::string style = "tasks";
  std::string cascade = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml";
  kernels::PhotoOptions photo;
};

struct Found {
  std::vector<Box> candidates;
  std::vector<Box> faces;
};

Found find(const viola_jones& program, const Photo& photo, int neighbours) {
  const std::vector<Box> candidates = faces::candidates(program);
  const auto on_photo = [&](const std::vector<Box>& boxes) {
    return faces::clipped(boxes, static_cast<int>(photo.width), static_cast<int>(photo.height));
  };
  return {on_photo(candidates), on_photo(faces::group(candidates, neighbours))};
}

std::string lines(const std::string& what, std::vector<Box> boxes) {
  std::sort(boxes.begin(), boxes.end());
  std::string text;
  for (const auto& [x, y, width, height] : boxes) {
    text += what;
    for (const int number : {x, y, width, height}) text += ' ' + std::to_string(number);
    text += '\n';
  }
  return text;
}

std::string text_of(const Found& found) {
  return lines("face", found.faces) + lines("candidate", found.candidates);
}

void parse(kernels::Program& program, Options& options, int argc, char** argv) {
  options.photo.add_to(program, kWidthMax);
  program.option("task", options.task, {1, kWidthMax}, "rows of a task");
  program.option("neighbours", options.neighbours, {0, 1000},
                 "windows that must agree on a face, besides one");
  program.styles(options.style);
  program.option("cascade", options.cascade, "file of OpenCV with upright features");
  program.parse(argc, argv);
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("viola_jones", "Faces in a photo, tasks for bands of a pyramid's rows");
  Options options;
  parse(program, options, argc, argv);
  const Photo photo = options.photo.load();
  const faces::Cascade cascade = faces::read_cascade(options.cascade);
  const faces::Settings settings{.band = options.task, .loops = options.style == "loops"};
  faces::Detector expected(photo, cascade, settings);
  faces::Detector result(photo, cascade, settings);
  program.require(result.program().level_count != 0, "the photo is smaller than a window");
  Found found;
  std::size_t face_count = 0;
  program.report("faces", face_count);
  const auto verify = [&] {
    const std::string fault = faces::verify(result.program(), photo, cascade);
    if (!fault.empty() || options.photo.expect.empty()) return fault;
    return kernels::difference(text_of(found), options.photo.expect);
  };
  const int status = program.run({
      .prepare = [&] { expected.clear(), result.clear(); },
      .serial = [&] { viola_jones_serial(&expected.program()); },
      .parallel = [&] { viola_jones_tasks(&result.program()); },
      .same =
          [&] {
            found = find(result.program(), photo, static_cast<int>(options.neighbours));
            face_count = found.faces.size();
            return result.same_results(expected);
          },
      .verify = verify,
  });
  options.photo.write(text_of(found));
  return status;
}
