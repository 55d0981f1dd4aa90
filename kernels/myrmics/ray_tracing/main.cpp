// SPDX-License-Identifier: Apache-2.0
//
// The ray tracing kernel: options, both versions, the check, and the picture. See README.md.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "common/files.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "myrmics/ray_tracing/ray_tracing.h"

namespace {

constexpr std::size_t kLevelsMax = 7;  // 600,000 balls
constexpr int kProbes = 300;           // pixels that are rendered again
using Colour = std::array<std::uint8_t, 3>;

struct Options {
  std::size_t width = 480;
  std::size_t tile_lines = 2;
  std::size_t tile_pixels = 0;
  std::size_t part_count = 8;
  std::size_t levels = 5;
  std::string image;
};

ray_tracing make(const Options& options) {
  const auto width = static_cast<int>(options.width);
  const int height = width * 2 / 3;
  const std::size_t tile_pixels =
      options.tile_pixels > 0 ? options.tile_pixels : options.tile_lines * options.width;
  const std::size_t part_count = options.part_count;
  const std::size_t round = tile_pixels * part_count;  // a tile for each part
  const std::size_t tile_count =
      (options.width * static_cast<std::size_t>(height) + round - 1) / round;
  scene* const scene = scene_new(static_cast<int>(options.levels), width, height);
  return {.scene = scene,
          .frame = parts_new(part_count, part_count * tile_count,
                             {.tile = tile_pixels * 3, .local = scene_bytes(scene->sphere_count)}),
          .tile_pixels = tile_pixels};
}

void clear(const ray_tracing& data) {
  for (std::size_t i = 0; i < data.frame.tile_total; ++i) {
    std::memset(parts_tile(&data.frame, i), 0, data.tile_pixels * 3);
  }
}

// All pixels, line after line.
std::vector<std::uint8_t> frame_of(const ray_tracing& data) {
  std::vector<std::uint8_t> frame;
  for (std::size_t i = 0; i < data.frame.tile_total; ++i) {
    const std::uint8_t* tile = ray_tracing_tile(&data, i);
    frame.insert(frame.end(), tile, tile + data.tile_pixels * 3);
  }
  frame.resize(static_cast<std::size_t>(data.scene->width) *
               static_cast<std::size_t>(data.scene->height) * 3);
  return frame;
}

// Renders some pixels anew from a scene without bounds, so that every ray tries every ball.
std::string verify(const ray_tracing& data) {
  std::vector<char> copy(scene_bytes(data.scene->sphere_count));
  std::memcpy(copy.data(), data.scene, copy.size());
  auto* plain = reinterpret_cast<scene*>(copy.data());
  for (int i = 0; i < plain->sphere_count; ++i) {
    plain->spheres[i].bound = std::numeric_limits<float>::infinity();
  }
  const std::vector<std::uint8_t> frame = frame_of(data);
  kernels::Random random(7);
  for (int i = 0; i < kProbes; ++i) {
    const auto line = static_cast<int>(random.uniform() * plain->height);
    const auto column = static_cast<int>(random.uniform() * plain->width);
    Colour expected;
    render_pixel(plain, line, column, expected.data());
    const auto pixel = static_cast<std::size_t>(line * plain->width + column);
    if (std::memcmp(expected.data(), &frame[pixel * 3], 3) != 0) {
      return fmt::format("the pixel in line {}, column {} has another colour", line, column);
    }
  }
  return "";
}

void write_image(const ray_tracing& data, const std::string& path) {
  kernels::write_file(path, [&](std::ostream& file) {
    file << fmt::format("P6\n{} {}\n255\n", data.scene->width, data.scene->height);
    const std::vector<std::uint8_t> frame = frame_of(data);
    kernels::put(file, frame.data(), frame.size());
  });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("ray_tracing", "Ray tracing of balls on balls, a task for some pixels");
  Options options;
  program.option("size", options.width, {3, 16384}, "width of the frame in pixels; 2/3 as high");
  program.option("task", options.tile_lines, {1, 16384}, "lines in a task");
  program.option("pixels", options.tile_pixels, {0, 1 << 28},
                 "pixels in a task, instead of whole lines; 0: whole lines");
  program.option("parts", options.part_count, {1, 4096}, "regions, on which the coarse tasks work");
  program.option("levels", options.levels, {1, kLevelsMax}, "levels of balls");
  program.option("image", options.image, "write the frame to this file (PPM)");
  program.parse(argc, argv);

  ray_tracing expected = make(options);
  ray_tracing result = make(options);
  const int status = program.run({
      .prepare = [&] { clear(expected), clear(result); },
      .serial = [&] { ray_tracing_serial(&expected); },
      .parallel = [&] { ray_tracing_tasks(&result); },
      .same = [&] { return frame_of(result) == frame_of(expected); },
      .verify = [&] { return verify(result); },
  });
  if (!options.image.empty()) write_image(result, options.image);
  for (ray_tracing* data : {&expected, &result}) {
    parts_free(&data->frame);
    myr_free(data->scene);
  }
  return status;
}
