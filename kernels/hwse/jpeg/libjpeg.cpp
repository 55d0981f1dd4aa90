// SPDX-License-Identifier: Apache-2.0
//
// Calls of libjpeg; see libjpeg.hpp.
#include "hwse/jpeg/libjpeg.hpp"

#include <jpeglib.h>

#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include "common/random.hpp"

namespace jpeg {
namespace {

// libjpeg ends a program that has an error, unless its handler does not return.
struct Handler {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX] = {};
};

void keep_message(j_common_ptr common) {
  auto* handler = reinterpret_cast<Handler*>(common->err);
  common->err->format_message(common, handler->message);
}

void leave(j_common_ptr common) {
  keep_message(common);
  std::longjmp(reinterpret_cast<Handler*>(common->err)->back, 1);
}

// Gentle hills of colour with a little noise, and a dark disc with a sharp rim.
void paint_line(std::uint8_t* line, const Format& format, unsigned y, kernels::Random& random) {
  const double radius = 0.3 * format.height;
  for (unsigned x = 0; x < format.width; ++x) {
    const double hills = std::sin(x * 0.05) + std::cos(y * 0.03 + x * 0.01);
    const bool disc = std::hypot(x - 0.5 * format.width, y - 0.5 * format.height) < radius;
    for (unsigned channel = 0; channel < 3; ++channel) {
      const double colour = 120 + 50 * hills * std::cos(channel + 0.002 * x);
      const double noise = 20 * random.uniform();
      line[3 * x + channel] = static_cast<std::uint8_t>(disc ? colour / 3 : colour + noise);
    }
  }
}

void write_lines(jpeg_compress_struct& compress, const Format& format, std::uint64_t seed) {
  kernels::Random random(seed);
  Bytes line(std::size_t{3} * format.width);
  for (unsigned y = 0; y < format.height; ++y) {
    paint_line(line.data(), format, y, random);
    JSAMPROW row = line.data();
    jpeg_write_scanlines(&compress, &row, 1);
  }
}

}  // namespace

Bytes make_file(const Format& format, std::uint64_t seed) {
  jpeg_compress_struct compress{};
  jpeg_error_mgr errors{};
  compress.err = jpeg_std_error(&errors);
  jpeg_create_compress(&compress);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&compress, &memory, &size);
  compress.image_width = format.width;
  compress.image_height = format.height;
  compress.input_components = 3;
  compress.in_color_space = JCS_RGB;
  jpeg_set_defaults(&compress);
  if (format.grey) jpeg_set_colorspace(&compress, JCS_GRAYSCALE);
  jpeg_set_quality(&compress, format.quality, TRUE);
  compress.restart_interval = format.restart_interval;
  if (!format.grey) {
    compress.comp_info[0].h_samp_factor = format.h;
    compress.comp_info[0].v_samp_factor = format.v;
  }
  jpeg_scan_info scans[3] = {};
  for (int i = 0; i < 3; ++i) scans[i] = {1, {i}, 0, 63, 0, 0};
  if (!format.one_scan) {
    compress.scan_info = scans;
    compress.num_scans = format.grey ? 1 : 3;
  }
  jpeg_start_compress(&compress, TRUE);
  write_lines(compress, format, seed);
  jpeg_finish_compress(&compress);
  jpeg_destroy_compress(&compress);
  Bytes file(memory, memory + size);
  std::free(memory);
  return file;
}

Picture decode_with_libjpeg(const Bytes& file, std::string& complaint) {
  jpeg_decompress_struct decompress{};
  Handler handler;
  Picture picture;
  decompress.err = jpeg_std_error(&handler.base);
  handler.base.output_message = keep_message;
  handler.base.error_exit = leave;
  if (setjmp(handler.back) == 0) {
    jpeg_create_decompress(&decompress);
    jpeg_mem_src(&decompress, file.data(), file.size());
    jpeg_read_header(&decompress, TRUE);
    decompress.out_color_space = JCS_RGB;
    decompress.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&decompress);
    picture.width = decompress.output_width;
    picture.height = decompress.output_height;
    const std::size_t line_bytes = std::size_t{3} * picture.width;
    picture.pixels.resize(line_bytes * picture.height);
    while (decompress.output_scanline < picture.height) {
      JSAMPROW row = picture.pixels.data() + decompress.output_scanline * line_bytes;
      jpeg_read_scanlines(&decompress, &row, 1);
    }
    jpeg_finish_decompress(&decompress);
  }
  complaint = handler.message;
  jpeg_destroy_decompress(&decompress);
  return picture;
}

}  // namespace jpeg
