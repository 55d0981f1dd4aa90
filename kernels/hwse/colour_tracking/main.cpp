// SPDX-License-Identifier: Apache-2.0
//
// Follows an object of a known colour through a video, with and without tasks.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/files.hpp"
#include "common/program.hpp"
#include "hwse/colour_tracking/check.hpp"
#include "hwse/colour_tracking/colour_tracking.h"
#include "hwse/colour_tracking/video.hpp"

namespace {

// The memory of one version of the program, and what it finds.
struct Tracker {
  Tracker(const tracking::Video& video, std::size_t band_rows, bool loops,
          const tracking_range& range)
      : hsv(TRACKING_SLOTS * video.width * video.height * TRACKING_CHANNELS),
        marks(TRACKING_SLOTS * video.width * video.height),
        track(video.frame_count) {
    const std::size_t band_count = (video.height + band_rows - 1) / band_rows;
    band_sums.resize(TRACKING_SLOTS * band_count);
    program.width = video.width;
    program.height = video.height;
    program.frame_count = video.frame_count;
    program.band_rows = band_rows;
    program.band_count = band_count;
    program.loops = loops;
    program.range = range;
    tracking_fill(&program.reciprocals);
    program.frames = video.frames.data();
    program.hsv = hsv.data();
    program.marks = marks.data();
    program.band_sums = band_sums.data();
    program.track = track.data();
  }
  [[nodiscard]] std::size_t track_bytes() const { return track.size() * sizeof track[0]; }

  std::vector<std::uint8_t> hsv;
  std::vector<std::uint8_t> marks;
  std::vector<tracking_sums> band_sums;
  std::vector<tracking_sums> track;
  colour_tracking program{};
};

void save(const std::string& path, const std::vector<tracking_sums>& track) {
  kernels::write_file(path, [&](std::ostream& file) {
    file << "# count, and sums of x, y, xx, xy, yy over the marked pixels of each frame\n";
    for (const tracking_sums& s : track) {
      file << s.count << ' ' << s.x << ' ' << s.y << ' ' << s.xx << ' ' << s.xy << ' ' << s.yy
           << '\n';
    }
  });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("colour_tracking", "Following a colour through a video");
  std::size_t size = 640;
  std::size_t frame_count = 60;
  std::size_t rows = 8;
  std::string style = "tasks";
  std::string video_path;
  std::string out;
  // Orange, in which both the made disc and the box of run.py are.
  std::array<std::size_t, 4> limits{14, 32, 150, 100};
  program.option("size", size, {16, 4096}, "width of the video that is made without --video");
  program.option("frames", frame_count, {1, 10000}, "frames of that video");
  program.option("task", rows, {1, 4096}, "rows of a band");
  program.styles(style);
  program.option("hue-low", limits[0], {0, 179}, "the least hue, in units of 2 degrees");
  program.option("hue-high", limits[1], {0, 179}, "the greatest hue");
  program.option("saturation", limits[2], {0, 255}, "the least saturation");
  program.option("brightness", limits[3], {0, 255}, "the least brightness");
  program.option("video", video_path, "a file of PPM pictures, one behind the other");
  program.option("out", out, "where to write the sums of each frame, as text");
  program.parse(argc, argv);

  const tracking::Video video = video_path.empty() ? tracking::make_video(size, frame_count)
                                                   : tracking::read_video(video_path);
  size = video.width;  // as reports list them
  frame_count = video.frame_count;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(limits[i]); };
  const tracking_range range{{byte(0), byte(2), byte(3)}, {byte(1), 255, 255}};
  Tracker expected(video, rows, style == "loops", range);
  Tracker result(video, rows, style == "loops", range);

  const int status = program.run({
      .prepare = [&] { std::memset(result.track.data(), 0, result.track_bytes()); },
      .serial = [&] { colour_tracking_serial(&expected.program); },
      .parallel = [&] { colour_tracking_tasks(&result.program); },
      .same =
          [&] {
            return std::memcmp(expected.track.data(), result.track.data(), result.track_bytes()) ==
                   0;
          },
      .verify = [&] { return tracking::check_track(video, range, result.track); },
  });
  if (!out.empty()) save(out, result.track);
  return status;
}
