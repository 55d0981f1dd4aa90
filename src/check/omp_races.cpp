// SPDX-License-Identifier: Apache-2.0
#include "check/omp_races.hpp"

#include <algorithm>
#include <bit>

namespace myr::check {

Races::PartId Races::add_part(const Part& part) {
  parts_.push_back(part);
  return static_cast<PartId>(parts_.size() - 1);
}

std::uint32_t Races::add_construct(const Construct& construct) {
  for (std::size_t i = constructs_.size(); i-- != 0 && constructs_.size() - i < 8;) {
    if (constructs_[i].name == construct.name && constructs_[i].place == construct.place) {
      return static_cast<std::uint32_t>(i);
    }
  }
  constructs_.push_back(construct);
  return static_cast<std::uint32_t>(constructs_.size() - 1);
}

std::uint32_t Races::note_of(const Note& note) {
  const auto place = reinterpret_cast<std::uint64_t>(note.place);
  Noted& latest = latest_notes_[place % latest_notes_.size()];
  if (latest.note == note) return latest.id;
  const auto [found, is_new] =
      note_ids_.try_emplace(note, static_cast<std::uint32_t>(notes_.size()));
  if (is_new) notes_.push_back(note);
  latest = {note, found->second};
  return found->second;
}

void Races::allocated(std::uint64_t begin, std::uint64_t end, PartId part) {
  forget(begin, end);
  if (part == 0) {
    made_by_.erase(begin, end);
  } else {
    made_by_.set(begin, end, part);
  }
}

bool Races::has_made(PartId part, std::uint64_t address) const {
  bool has = false;
  made_by_.visit(address, address + 1, [&](auto, auto, PartId maker) {
    has = maker == part;
    return false;
  });
  return has;
}

// A thread does one thing after the other. So two strands that it executes are in conflict only if
// another thread could have executed one of them, and would have touched the same bytes.
bool Races::may_meet(const Access& earlier, const Access& access, std::uint64_t address,
                     bool is_own) const {
  if (locks_.exclude(earlier.locks, access.locks)) return false;
  if (strands_.is_before(earlier.strand, access.strand)) return false;
  const PartId one = earlier.part;
  const PartId other = access.part;
  if (one == other && (is_own || has_made(one, address))) return false;
  return parts_[one].number != parts_[other].number || !parts_[one].knows_thread ||
         !parts_[other].knows_thread;
}

std::vector<Races::Strand> Races::senders(const Touch& touch, const Runner& runner) {
  std::vector<Strand> found;
  for (std::uint64_t at = touch.address & ~(AccessHistory::kWord - 1);
       at < touch.address + touch.bytes; at += AccessHistory::kWord) {
    history_.visit_writes(at, [&](const Access& earlier) {
      if (locks_.exclude(earlier.locks, runner.locks) &&
          !strands_.is_before(earlier.strand, runner.strand)) {
        found.push_back(earlier.strand);
      }
    });
  }
  return found;
}

Race Races::look(const Touch& touch, const Runner& runner, bool is_own) {
  Race race;
  const std::uint64_t end = touch.address + touch.bytes;
  Access access{.strand = runner.strand,
                .note = note_of({touch.place, touch.bytes, runner.construct}),
                .locks = runner.locks,
                .part = runner.part,
                .writes = touch.writes,
                .is_atomic = touch.is_atomic};
  for (std::uint64_t at = touch.address; at < end;) {
    const std::uint64_t first = at % AccessHistory::kWord;
    const std::uint64_t count = std::min(AccessHistory::kWord - first, end - at);
    access.bytes = static_cast<std::uint8_t>(((1U << count) - 1U) << first);
    const std::uint64_t word = at - first;
    history_.enter(word, access, [&](const Access& earlier) {
      if (race || !may_meet(earlier, access, at, is_own)) return;
      const Note& note = notes_[earlier.note];
      const auto common = static_cast<unsigned>(earlier.bytes & access.bytes);
      race = {.touch = touch,
              .construct = constructs_[runner.construct],
              .earlier = {.address = word,
                          .bytes = note.bytes,
                          .writes = earlier.writes,
                          .place = note.place,
                          .is_atomic = earlier.is_atomic},
              .earlier_construct = constructs_[note.construct],
              .first = word + static_cast<unsigned>(std::countr_zero(common)),
              .is_of_one_thread = parts_[earlier.part].thread == parts_[access.part].thread};
    });
    at += count;
  }
  return race;
}

}  // namespace myr::check
