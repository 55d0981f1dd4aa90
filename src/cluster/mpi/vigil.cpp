// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/vigil.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

[[noreturn]] void end_job(unsigned rank, std::uint64_t silence_ns) {
  base::misuse(nullptr,
               base::format("rank {} has said nothing for {} s: it has stopped, or its computer "
                            "cannot be reached; MYR_SILENCE is how long to wait, 0 for ever",
                            rank, silence_ns / kSecondNs));
}

// Has this process itself not looked for long? Then it was stopped, perhaps with all others.
bool was_away(std::uint64_t now, std::uint64_t looked_ns, std::uint64_t silence_ns) {
  return now - looked_ns > silence_ns / 4;
}

}  // namespace

Alarm::Alarm(unsigned self, std::uint64_t silence_ns)
    : silence_ns_(silence_ns),
      limit_ns_(silence_ns + patience_ns(self)),
      looked_ns_(plat::now_ns()),
      heard_ns_(looked_ns_) {}

bool Alarm::is_due() {
  if (silence_ns_ == 0) return false;
  const std::uint64_t now = plat::now_ns();
  if (was_away(now, looked_ns_, silence_ns_)) heard_ns_ = now;
  looked_ns_ = now;
  return now - heard_ns_ > limit_ns_;
}

void Alarm::end(unsigned rank) const { end_job(rank, silence_ns_); }

Vigil::Vigil(Post& post, std::uint64_t silence_ns)
    : post_(post),
      silence_ns_(silence_ns),
      heard_ns_(post.rank().count(), plat::now_ns()),
      looked_ns_(plat::now_ns()) {}

void Vigil::look() {
  if (silence_ns_ == 0) return;
  tell();
  const std::uint64_t now = plat::now_ns();
  // A process that has been stopped itself could not hear anything meanwhile.
  if (was_away(now, looked_ns_, silence_ns_)) std::fill(heard_ns_.begin(), heard_ns_.end(), now);
  looked_ns_ = now;
  const unsigned self = post_.rank().self();
  const std::uint64_t limit_ns = silence_ns_ + (self < 2 ? 0 : patience_ns(self));
  for_watched([&](unsigned other) {
    if (now - heard_ns_[other] > limit_ns) end_job(other, silence_ns_);
  });
}

void Vigil::tell() {
  const std::uint64_t now = plat::now_ns();
  if (silence_ns_ == 0 || now - told_ns_ < silence_ns_ / 8) return;
  told_ns_ = now;
  for_watched([this](unsigned other) { post_.send(other, proto::Alive{}); });
}

template <class Visit>
void Vigil::for_watched(Visit visit) const {
  const unsigned self = post_.rank().self();
  const unsigned end = self == 0 ? post_.rank().count() : 1;
  for (unsigned other = self == 0 ? 1 : 0; other < end; ++other) visit(other);
}

}  // namespace myr::cluster::mpi
