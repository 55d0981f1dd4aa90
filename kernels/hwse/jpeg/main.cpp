// SPDX-License-Identifier: Apache-2.0
//
// Decodes a JPEG file, a real photograph or a picture made for the purpose, with and without tasks,
// and compares every pixel with libjpeg's.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "common/program.hpp"
#include "hwse/jpeg/decoder.h"
#include "hwse/jpeg/libjpeg.hpp"

namespace {

constexpr std::uint64_t kSeed = 1992;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "kernel_jpeg: %s\n", why.c_str());
  std::exit(1);
}

jpeg::Bytes load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Decoder {
  Decoder(const std::string& name, const jpeg::Bytes& file, jpeg_plan plan) {
    const char* fault = jpeg_open(&state, file.data(), file.size(), plan);
    if (fault != nullptr) fail(name + ": " + fault);
  }
  ~Decoder() { jpeg_close(&state); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  [[nodiscard]] std::size_t pixel_bytes() const {
    return std::size_t{JPEG_CHANNELS} * state.frame.width * state.frame.height;
  }
  void clear() { std::memset(state.pixels, 0, pixel_bytes()); }

  jpeg_decoder state;
};

std::string compare_with_libjpeg(const jpeg::Bytes& file, const Decoder& decoder) {
  std::string complaint;
  const jpeg::Picture expected = jpeg::decode_with_libjpeg(file, complaint);
  if (!complaint.empty()) return "libjpeg says: " + complaint;
  if (expected.pixels.size() != decoder.pixel_bytes()) return "libjpeg has another size";
  std::size_t differences = 0;
  for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
    differences += expected.pixels[i] != decoder.state.pixels[i] ? 1 : 0;
  }
  return differences == 0 ? "" : std::to_string(differences) + " bytes differ from libjpeg's";
}

void save(const std::string& path, const Decoder& decoder) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << decoder.state.frame.width << ' ' << decoder.state.frame.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(decoder.state.pixels),
             static_cast<std::streamsize>(decoder.pixel_bytes()));
  if (!file) fail("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  kernels::Program program("jpeg", "Decoding a JPEG file, a task for some rows and each stage");
  std::int64_t size = 2048;
  std::int64_t rows = 1;
  std::string style = "tasks";
  std::string photo;
  std::string out;
  program.option("size", size, {1, 16384}, "side of the picture that is made without --photo");
  program.option("task", rows, {1, 8192}, "rows of MCUs (8 or 16 lines) of a task");
  program.choice("style", style, {"loops", "tasks"}, "parallel loops, or tasks in their own order");
  program.option("photo", photo, "a JPEG file to decode");
  program.option("out", out, "where to write the decoded picture, as a PPM file");
  program.parse(argc, argv);

  const auto side = static_cast<unsigned>(size);
  const jpeg::Bytes file =
      photo.empty() ? jpeg::make_file({.width = side, .height = side}, kSeed) : load(photo);
  const std::string name = photo.empty() ? "the made picture" : photo;
  const jpeg_plan plan = {.style = style == "loops" ? JPEG_LOOPS : JPEG_TASKS,
                          .rows_per_chunk = static_cast<std::size_t>(rows)};
  Decoder expected(name, file, plan);
  Decoder result(name, file, plan);
  const std::int64_t width = result.state.frame.width;
  const std::int64_t height = result.state.frame.height;
  size = width;  // as reports list it
  program.report("width", width);
  program.report("height", height);

  const int status = program.run({
      .prepare = [&] { expected.clear(), result.clear(); },
      .serial = [&] { jpeg_serial(&expected.state); },
      .parallel = [&] { jpeg_tasks(&result.state); },
      .same =
          [&] {
            return std::memcmp(expected.state.pixels, result.state.pixels, result.pixel_bytes()) ==
                   0;
          },
      .verify = [&] { return compare_with_libjpeg(file, result); },
  });
  if (const char* fault = jpeg_fault(&result.state); fault != nullptr) fail(name + ": " + fault);
  if (!out.empty()) save(out, result);
  return status;
}
