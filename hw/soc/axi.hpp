// SPDX-License-Identifier: Apache-2.0
//
// What answers at an AXI port of the simulated system: one burst at a time in each direction, each
// answer a fixed number of cycles after its request.
#pragma once

#include <cstdint>

namespace myr::hw {

// The signals of a port that the system drives, and those that it is driven with, in one cycle.
struct AxiFromSystem {
  bool aw_valid, w_valid, b_ready, ar_valid, r_ready;
  std::uint64_t aw_addr, ar_addr, w_data;
  unsigned aw_id, ar_id, ar_len, w_strb;
  bool w_last;
};
struct AxiToSystem {
  bool aw_ready, w_ready, b_valid, ar_ready, r_valid, r_last;
  unsigned b_id, r_id;
  std::uint64_t r_data;
};

constexpr unsigned kBeatBytes = 8;

// `Device` has read(address) and write(address, data, strobes), of 8 bytes each.
template <typename Device>
class AxiSlave {
 public:
  AxiSlave(Device& device, unsigned latency) : device_(device), latency_(latency) {}

  // What the port shows in this cycle; the same until clock().
  [[nodiscard]] AxiToSystem outputs() const {
    AxiToSystem out{};
    out.ar_ready = beats_left_ == 0;
    out.r_valid = beats_left_ != 0 && read_wait_ == 0;
    out.r_id = read_id_;
    out.r_last = beats_left_ == 1;
    out.r_data = out.r_valid ? device_.read(read_address_) : 0;
    out.aw_ready = !writing_ && !answering_;
    out.w_ready = writing_;
    out.b_valid = answering_ && write_wait_ == 0;
    out.b_id = write_id_;
    return out;
  }

  // The rising edge, with the system's signals before it.
  void clock(const AxiFromSystem& in) {
    const AxiToSystem out = outputs();
    if (read_wait_ != 0) read_wait_ -= 1;
    if (write_wait_ != 0) write_wait_ -= 1;
    if (in.ar_valid && out.ar_ready) {
      read_address_ = in.ar_addr / kBeatBytes * kBeatBytes;
      read_id_ = in.ar_id;
      beats_left_ = in.ar_len + 1;
      read_wait_ = latency_;
    } else if (out.r_valid && in.r_ready) {
      read_address_ += kBeatBytes;
      beats_left_ -= 1;
    }
    if (in.aw_valid && out.aw_ready) {
      write_address_ = in.aw_addr / kBeatBytes * kBeatBytes;
      write_id_ = in.aw_id;
      writing_ = true;
    } else if (in.w_valid && out.w_ready) {
      device_.write(write_address_, in.w_data, in.w_strb);
      write_address_ += kBeatBytes;
      if (in.w_last) {
        writing_ = false;
        answering_ = true;
        write_wait_ = latency_;
      }
    } else if (out.b_valid && in.b_ready) {
      answering_ = false;
    }
  }

 private:
  Device& device_;
  unsigned latency_;
  std::uint64_t read_address_ = 0, write_address_ = 0;
  unsigned read_id_ = 0, write_id_ = 0, beats_left_ = 0, read_wait_ = 0, write_wait_ = 0;
  bool writing_ = false, answering_ = false;
};

}  // namespace myr::hw
