// SPDX-License-Identifier: Apache-2.0
#include "graph/range_map.hpp"

namespace myr::graph {

void RangeMap::enter(const Target& target, ConflictSink& sink) {
  fragments_.sweep([](const Users& users) { return !users.any_live(); });
  fragments_.change(target.begin, target.end, [&](auto& piece) {
    const auto memory = [&] {
      return myr_inout_range(reinterpret_cast<void*>(piece.begin), piece.end - piece.begin);
    };
    piece.value.enter(target.writes, target.group, memory, sink);
  });
}

}  // namespace myr::graph
