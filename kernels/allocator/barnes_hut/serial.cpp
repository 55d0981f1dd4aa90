// SPDX-License-Identifier: Apache-2.0
//
// The plain program. Its cells come from a std::deque, the cheapest plain allocation there is, so
// that a speed-up is never owed to a slow malloc().
#include <deque>

#include "methods/bodies/motion.hpp"

namespace barnes_hut {

void run_serial(std::vector<Body>& bodies, const Settings& settings) {
  std::vector<Point> points(bodies.size());
  std::vector<Point> scratch;
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    drift(bodies, settings.time_step);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      points[i] = {bodies[i].position, bodies[i].mass};
    std::deque<Cell> cells(1);
    build(cells.front(), surround(points), scratch, [&] { return &cells.emplace_back(); });
    kick_and_drift(bodies, cells.front(), settings);
  }
}

}  // namespace barnes_hut
