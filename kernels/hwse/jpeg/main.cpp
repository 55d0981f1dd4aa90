// SPDX-License-Identifier: Apache-2.0
//
// Decodes a JPEG file, a real photograph or a picture made for the purpose, with and without tasks,
// and compares every pixel with libjpeg's.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "common/files.hpp"
#include "common/program.hpp"
#include "hwse/jpeg/decoder.h"
#include "hwse/jpeg/libjpeg.hpp"

namespace {

constexpr std::uint64_t kSeed = 1992;

struct Decoder {
  Decoder(const std::string& name, const jpeg::Bytes& file, jpeg_plan plan) {
    const char* fault = jpeg_open(&state, file.data(), file.size(), plan);
    if (fault != nullptr) throw std::runtime_error(name + ": " + fault);
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
  kernels::write_file(path, [&](std::ostream& file) {
    file << "P6\n" << decoder.state.frame.width << ' ' << decoder.state.frame.height << "\n255\n";
    kernels::put(file, decoder.state.pixels, decoder.pixel_bytes());
  });
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("jpeg", "Decoding a JPEG file, a task for some rows and each stage");
  std::size_t size = 2048;
  std::size_t rows = 1;
  std::string style = "tasks";
  std::string photo;
  std::string out;
  program.option("size", size, {1, 16384}, "side of the picture that is made without --photo");
  program.option("task", rows, {1, 8192}, "rows of MCUs (8 or 16 lines) of a task");
  program.styles(style);
  program.option("photo", photo, "a JPEG file to decode");
  program.option("out", out, "where to write the decoded picture, as a PPM file");
  program.parse(argc, argv);

  const auto side = static_cast<unsigned>(size);
  const jpeg::Bytes file = photo.empty() ? jpeg::make_file({.width = side, .height = side}, kSeed)
                                         : kernels::read_file<std::uint8_t>(photo);
  const std::string name = photo.empty() ? "the made picture" : photo;
  const jpeg_plan plan = {.style = style == "loops" ? JPEG_LOOPS : JPEG_TASKS,
                          .rows_per_chunk = rows};
  Decoder expected(name, file, plan);
  Decoder result(name, file, plan);
  const std::size_t width = result.state.frame.width;
  const std::size_t height = result.state.frame.height;
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
  if (const char* fault = jpeg_fault(&result.state); fault != nullptr) {
    throw std::runtime_error(name + ": " + fault);
  }
  if (!out.empty()) save(out, result);
  return status;
}
