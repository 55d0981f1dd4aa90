// SPDX-License-Identifier: Apache-2.0
//
// Every kind of baseline file must decode to libjpeg's pixels, and no broken file may do more than
// give a message. MYR_TEST_SEED=N replays a random test.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>

#include "common/random.hpp"
#include "hwse/jpeg/decoder.h"
#include "hwse/jpeg/libjpeg.hpp"

namespace {

struct Decoded {
  std::string fault;
  jpeg::Bytes pixels;
};

Decoded decode(const jpeg::Bytes& file, jpeg_plan plan) {
  jpeg_decoder decoder;
  Decoded result;
  const char* fault = jpeg_open(&decoder, file.data(), file.size(), plan);
  if (fault == nullptr) {
    jpeg_serial(&decoder);
    fault = jpeg_fault(&decoder);
    const std::size_t bytes = std::size_t{3} * decoder.frame.width * decoder.frame.height;
    result.pixels.assign(decoder.pixels, decoder.pixels + bytes);
  }
  jpeg_close(&decoder);
  if (fault != nullptr) result.fault = fault;
  return result;
}

// Compares without printing megabytes.
void check_format(const jpeg::Format& format) {
  const jpeg::Bytes file = jpeg::make_file(format, 7);
  std::string complaint;
  const jpeg::Picture expected = jpeg::decode_with_libjpeg(file, complaint);
  REQUIRE(complaint.empty());
  for (const jpeg_plan plan : {jpeg_plan{JPEG_LOOPS, 1}, {JPEG_TASKS, 1}, {JPEG_TASKS, 2}}) {
    const Decoded result = decode(file, plan);
    CAPTURE(format.width);
    CAPTURE(format.height);
    CAPTURE(format.h);
    CAPTURE(format.v);
    CAPTURE(format.restart_interval);
    CAPTURE(format.one_scan);
    CHECK(result.fault == "");
    CHECK((result.pixels == expected.pixels));
  }
}

std::uint64_t seed() {
  const char* given = std::getenv("MYR_TEST_SEED");
  const std::uint64_t value =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("seed %llu (MYR_TEST_SEED replays it)\n", static_cast<unsigned long long>(value));
  return value;
}

// A small file of a random format.
jpeg::Bytes random_file(kernels::Random& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random.next() % n); };
  return jpeg::make_file({.width = 1 + below(60),
                          .height = 1 + below(60),
                          .grey = below(4) == 0,
                          .h = 1 + static_cast<int>(below(2)),
                          .v = 1 + static_cast<int>(below(2)),
                          .quality = 30 + static_cast<int>(below(70)),
                          .restart_interval = below(4),
                          .one_scan = below(4) != 0},
                         random.next());
}

}  // namespace

TEST_CASE("all samplings give libjpeg's pixels") {
  for (const auto& [h, v] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}}) {
    for (const unsigned width : {1u, 3u, 5u, 16u, 33u, 300u}) {
      check_format({.width = width, .height = 37, .h = h, .v = v});
      check_format({.width = 21, .height = width, .h = h, .v = v});
    }
  }
}

TEST_CASE("restart markers, scans of one component, grey and all qualities give them, too") {
  for (const unsigned interval : {1u, 2u, 3u, 5u, 6u, 7u, 12u}) {
    check_format({.width = 90, .height = 100, .restart_interval = interval});
    check_format({.width = 90, .height = 100, .restart_interval = interval, .one_scan = false});
  }
  check_format({.width = 90, .height = 70, .one_scan = false});
  check_format({.width = 91, .height = 71, .grey = true});
  for (const int quality : {1, 10, 50, 95, 100}) {
    check_format({.width = 64, .height = 64, .h = 1, .v = 1, .quality = quality});
  }
}

TEST_CASE("a file that is cut off gives a message") {
  const jpeg::Bytes file = jpeg::make_file({.width = 50, .height = 40}, 7);
  REQUIRE(decode(file, {JPEG_TASKS, 1}).fault == "");
  for (std::size_t size = 0; size + 8 < file.size(); ++size) {
    const jpeg::Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    CAPTURE(size);
    CHECK(decode(part, {JPEG_TASKS, 1}).fault != "");
  }
}

TEST_CASE("a progressive file is refused") {
  jpeg::Bytes file = jpeg::make_file({.width = 50, .height = 40}, 7);
  const std::uint8_t sof0[] = {0xff, 0xc0};
  const auto marker = std::search(file.begin(), file.end(), sof0, sof0 + 2);
  REQUIRE(marker != file.end());
  marker[1] = 0xc2;
  CHECK(decode(file, {JPEG_TASKS, 1}).fault == "a progressive JPEG, not a baseline one");
}

TEST_CASE("broken files give a message or a picture, never more") {
  kernels::Random random(seed());
  for (int round = 0; round < 300; ++round) {
    jpeg::Bytes file = random_file(random);
    const unsigned changes = 1 + static_cast<unsigned>(random.next() % 5);
    for (unsigned i = 0; i < changes; ++i) {
      // The headers are the first 600 bytes or so: hit them as often as the data.
      const std::size_t range =
          random.next() % 2 == 0 ? std::min<std::size_t>(file.size(), 640) : file.size();
      file[random.next() % range] = static_cast<std::uint8_t>(random.next());
    }
    const Decoded result = decode(file, {JPEG_TASKS, 1});
    CHECK_FALSE((result.fault.empty() && result.pixels.empty()));
  }
}
