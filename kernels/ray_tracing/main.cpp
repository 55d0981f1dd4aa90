// SPDX-License-Identifier: Apache-2.0
//
// The ray tracing kernel: options, both versions, the check, and the picture. See README.md.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "common/random.hpp"
#include "ray_tracing/ray_tracing.h"

namespace {

constexpr int kLevelsMax = 7;  // 600,000 balls
constexpr int kProbes = 300;   // pixels that are rendered again
using Colour = std::array<std::uint8_t, 3>;

struct Options {
  std::int64_t width = 480;
  std::int64_t tile_lines = 2;
  std::int64_t part_count = 8;
  std::int64_t levels = 5;
  std::string image;
};

ray_tracing make(const Options& options) {
  const auto width = static_cast<int>(options.width);
  const int height = width * 2 / 3;
  const std::int64_t part_lines = options.tile_lines * options.part_count;
  const auto tile_count = static_cast<std::size_t>((height + part_lines - 1) / part_lines);
  const auto tile_bytes = static_cast<std::size_t>(options.tile_lines * options.width) * 3;
  return {.scene = scene_new(static_cast<int>(options.levels), width, height),
          .frame = parts_new(static_cast<std::size_t>(options.part_count), tile_count, tile_bytes),
          .tile_lines = static_cast<int>(options.tile_lines)};
}

std::size_t tile_total(const ray_tracing& data) {
  return data.frame.part_count * data.frame.tile_count;
}

void clear(const ray_tracing& data) {
  const auto line_bytes = static_cast<std::size_t>(data.scene->width) * 3;
  for (std::size_t i = 0; i < tile_total(data); ++i) {
    std::memset(parts_tile(&data.frame, i), 0,
                line_bytes * static_cast<std::size_t>(data.tile_lines));
  }
}

const std::uint8_t* line_of(const ray_tracing& data, int line) {
  const auto tile = static_cast<std::size_t>(line / data.tile_lines);
  const auto* pixels = static_cast<const std::uint8_t*>(parts_tile(&data.frame, tile));
  return pixels + static_cast<std::ptrdiff_t>(line % data.tile_lines) * data.scene->width * 3;
}

bool same_bits(const ray_tracing& a, const ray_tracing& b) {
  for (int line = 0; line < a.scene->height; ++line) {
    const auto bytes = static_cast<std::size_t>(a.scene->width) * 3;
    if (std::memcmp(line_of(a, line), line_of(b, line), bytes) != 0) return false;
  }
  return true;
}

// Renders some pixels anew from a scene without bounds, so that every ray tries every ball.
std::string verify(const ray_tracing& data) {
  const std::size_t bytes =
      sizeof(scene) + static_cast<std::size_t>(data.scene->sphere_count) * sizeof(sphere);
  std::vector<char> copy(bytes);
  std::memcpy(copy.data(), data.scene, bytes);
  auto* plain = reinterpret_cast<scene*>(copy.data());
  for (int i = 0; i < plain->sphere_count; ++i) {
    plain->spheres[i].bound = std::numeric_limits<float>::infinity();
  }
  kernels::Random random(7);
  for (int i = 0; i < kProbes; ++i) {
    const auto line = static_cast<int>(random.uniform() * plain->height);
    const auto column = static_cast<int>(random.uniform() * plain->width);
    Colour expected;
    render_pixel(plain, line, column, expected.data());
    if (std::memcmp(expected.data(), line_of(data, line) + column * 3, 3) != 0) {
      return fmt::format("the pixel in line {}, column {} has another colour", line, column);
    }
  }
  return "";
}

int write_image(const ray_tracing& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("P6\n{} {}\n255\n", data.scene->width, data.scene->height);
  for (int line = 0; line < data.scene->height; ++line) {
    file.write(reinterpret_cast<const char*>(line_of(data, line)), data.scene->width * 3);
  }
  file.close();
  if (file.good()) return 0;
  fmt::print(stderr, "cannot write {}\n", path);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("ray_tracing", "Ray tracing of balls on balls, a task for some lines");
  Options options;
  program.option("size", options.width, {3, 16384}, "width of the frame in pixels; 2/3 as high");
  program.option("task", options.tile_lines, {1, 16384}, "lines in a task");
  program.option("parts", options.part_count, {1, 4096}, "regions, on which the coarse tasks work");
  program.option("levels", options.levels, {1, kLevelsMax}, "levels of balls");
  program.option("image", options.image, "write the frame to this file (PPM)");
  program.parse(argc, argv);

  ray_tracing expected = make(options);
  ray_tracing result = make(options);
  int status = program.run({
      .prepare = [&] { clear(expected), clear(result); },
      .serial = [&] { ray_tracing_serial(&expected); },
      .parallel =
          [&] {
            ray_tracing_tasks(&result);
            return std::uint64_t{result.frame.part_count + tile_total(result)};
          },
      .same = [&] { return same_bits(result, expected); },
      .verify = [&] { return verify(result); },
  });
  if (status == 0 && !options.image.empty()) status = write_image(result, options.image);
  for (ray_tracing* data : {&expected, &result}) {
    parts_free(&data->frame);
    myr_free(data->scene);
  }
  return status;
}
