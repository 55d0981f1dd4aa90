// SPDX-License-Identifier: Apache-2.0
//
// See photo.hpp.
#include "common/photo.hpp"

#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "common/files.hpp"

namespace kernels {
namespace {

constexpr std::size_t kSideMax = 16384;

// A number of a PGM file's head, in which lines of comment may stand.
std::size_t read_number(std::istream& file) {
  while ((file >> std::ws).peek() == '#') {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::size_t number = 0;
  file >> number;
  return number;
}

bool next_line(std::istream& lines, std::string& line) {
  while (std::getline(lines, line)) {
    if (!line.starts_with('#')) return true;
  }
  line = "nothing more";
  return false;
}

}  // namespace

std::string sample_photo() { return MYR_SAMPLE_PHOTO; }

Photo read_photo(const std::string& path) {
  std::ifstream file = open_file(path);
  std::string magic(2, ' ');
  file.read(magic.data(), 2);
  Photo photo{read_number(file), read_number(file), {}};
  const std::size_t white = read_number(file);
  file.get();
  const bool fits =
      photo.width > 0 && photo.width <= kSideMax && photo.height > 0 && photo.height <= kSideMax;
  if (!file || magic != "P5" || white != 255 || !fits) {
    throw std::runtime_error(path + " is no binary PGM file with 8 bits a pixel");
  }
  photo.pixels.resize(photo.width * photo.height);
  file.read(reinterpret_cast<char*>(photo.pixels.data()),
            static_cast<std::streamsize>(photo.pixels.size()));
  if (!file) throw std::runtime_error(path + " ends too early");
  return photo;
}

Photo resized(const Photo& photo, std::size_t width) {
  Photo result{width, (width * photo.height + photo.width - 1) / photo.width, {}};
  result.pixels.reserve(result.width * result.height);
  for (std::size_t y = 0; y < result.height; ++y) {
    const std::uint8_t* row = photo.pixels.data() + y % photo.height * photo.width;
    for (std::size_t x = 0; x < width; ++x) result.pixels.push_back(row[x % photo.width]);
  }
  return result;
}

void PhotoOptions::add_to(Program& program, std::size_t width_max) {
  program.option("size", size, {0, width_max},
                 "columns to which the photo is cut or repeated; 0: as it is");
  program.option("photo", path, "PGM file");
  program.option("expect", expect, "file with the list that --check compares with");
  program.option("out", out, "file for the list of what was found");
}

Photo PhotoOptions::load() const {
  const Photo photo = read_photo(path);
  return size == 0 ? photo : resized(photo, size);
}

void PhotoOptions::write(const std::string& text) const {
  if (out.empty()) return;
  write_file(out, [&](std::ostream& file) { file << text; });
}

std::string difference(const std::string& text, const std::string& path) {
  std::ifstream file = open_file(path);
  std::istringstream lines(text);
  std::string found;
  std::string expected;
  for (std::size_t number = 1;; ++number) {
    const bool more = next_line(lines, found);
    if (next_line(file, expected) != more || found != expected) {
      return "line " + std::to_string(number) + " is '" + found + "', not '" + expected + "'";
    }
    if (!more) return "";
  }
}

}  // namespace kernels
