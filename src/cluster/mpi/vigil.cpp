// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/vigil.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::mpi {

namespace {
constexpr std::uint64_t kSecondNs = 1'000'000'000;
}

Vigil::Vigil(Post& post, std::uint64_t silence_ns)
    : post_(post),
      silence_ns_(silence_ns),
      heard_ns_(post.rank().count(), plat::now_ns()),
      looked_ns_(plat::now_ns()) {}

void Vigil::look() {
  if (silence_ns_ == 0) return;
  const std::uint64_t now = plat::now_ns();
  // Who has been stopped itself could not hear anything meanwhile.
  const bool was_away = now - looked_ns_ > silence_ns_ / 4;
  looked_ns_ = now;
  if (was_away) std::fill(heard_ns_.begin(), heard_ns_.end(), now);
  if (now - told_ns_ < silence_ns_ / 8) return;
  told_ns_ = now;
  const unsigned self = post_.rank().self();
  const unsigned end = self == 0 ? post_.rank().count() : 1;
  for (unsigned other = self == 0 ? 1 : 0; other < end; ++other) {
    post_.send(other, Kind::Alive);
    if (now - heard_ns_[other] <= silence_ns_) continue;
    base::misuse(nullptr,
                 base::format("rank {} has said nothing for {} s: it has stopped, or its computer "
                              "cannot be reached; MYR_SILENCE is how long to wait, 0 for ever",
                              other, silence_ns_ / kSecondNs));
  }
}

}  // namespace myr::cluster::mpi
