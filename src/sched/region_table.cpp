// SPDX-License-Identifier: Apache-2.0
#include "sched/region_table.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::kNoAgent;

RegionTable::RegionTable(Link& link, Store& store, deps::QueueTree& queues, Placer& placer,
                         PageDirectory& pages, const Rules& rules)
    : link_(link), store_(store), queues_(queues), placer_(placer), pages_(pages), rules_(rules) {
  if (link.self() != proto::kTop) return;
  const std::optional<NodeId> root = make(proto::kRootRegion, link.topology().workers().front());
  MYR_ASSERT(root == proto::kRootRegion);
}

std::optional<NodeId> RegionTable::region_around(NodeId node) const {
  if (!node.is_region()) return store_.region_of(node.value());
  const Region* region = regions_.find(node.bits);
  if (region == nullptr) return {};
  return region->parent;
}

std::optional<NodeId> RegionTable::region_around(NodeId& node, bool is_part) const {
  const std::optional<NodeId> region = region_around(node);
  if (region || !is_part || node.is_region()) return region;
  const std::optional<std::uint64_t> start = store_.start_of(node.value());
  if (!start) return {};
  node = NodeId::object(*start);
  return region_around(node);
}

AgentId RegionTable::next_owner(NodeId node) const {
  const AgentId owner =
      node.is_region() ? proto::owner_of_region(node) : pages_.holder(node.value());
  const bool exists = owner < link_.topology().agent_count() && !link_.topology().is_worker(owner);
  return exists && owner != link_.self() ? owner : kNoAgent;
}

void RegionTable::resolve(proto::Resolve& message) {
  if (message.owner == kNoAgent) return divide(message);
  message.is_known = has(message.path.front());
  send_on(std::move(message));
}

// By where they go on: those that another owner knows, and those of one region here.
void RegionTable::divide(const proto::Resolve& message) {
  std::vector<std::pair<AgentId, proto::Resolve>> divided;
  for (proto::Sought sought : message.sought) {
    const AgentId further = next_owner(sought.node);
    proto::Resolve one{.parent = message.parent, .asker = message.asker, .sought = {}};
    if (further == kNoAgent) {
      one.owner = link_.self();
      const std::optional<NodeId> around = region_around(sought.node, sought.is_part);
      one.is_known = around.has_value();
      one.path = {around.value_or(NodeId{})};
    }
    const auto goes_along = [&](const auto& other) {
      return other.first == further && other.second.path == one.path;
    };
    auto* with = find_group(divided, goes_along);
    if (with == nullptr) with = &divided.emplace_back(further, std::move(one));
    with->second.sought.push_back(sought);
  }
  for (auto& [further, part] : divided) {
    if (further == kNoAgent) {
      send_on(std::move(part));
    } else {
      link_.send(further, std::move(part));
    }
  }
}

// To the owner of the next region around them, unless it is the asker's business or above it.
void RegionTable::send_on(proto::Resolve&& message) {
  AgentId next = message.asker;
  if (message.is_known) {
    proto::Path& path = message.path;
    if (has(path.front())) {
      grow_or_trim(path);
      const NodeId around = regions_.at(path.front().bits).parent;
      if (around != path.front()) path.insert(path.begin(), around);
    }
    const AgentId owner = proto::owner_of_region(path.front());
    if (owner != link_.self() && link_.topology().is_within(owner, message.asker)) next = owner;
  }
  link_.send(next, std::move(message));
}

void RegionTable::handle(proto::Describe& message) {
  const AgentId further = next_owner(message.node);
  if (further != kNoAgent) {
    link_.send(further, message);
    return;
  }
  proto::Described answer{.request = message.request, .regions = {}, .objects = {}};
  std::optional<NodeId> around = message.node;
  if (!message.node.is_region()) {
    const std::uint64_t address = message.node.value();
    const std::optional<std::uint64_t> start = store_.start_of(address);
    around = store_.region_of(start.value_or(address));
    if (around) answer.objects = store_.describe(address);
  } else if (!has(message.node)) {
    around.reset();
  }
  while (around) {
    answer.regions.push_back(around->value());
    const bool is_last = *around == proto::kRootRegion || !has(*around);
    around = is_last ? std::nullopt : region_around(*around);
  }
  link_.send(message.asker, std::move(answer));
}

void RegionTable::grow_or_trim(proto::Path& path) const {
  proto::Path way = way_to(path.front(), [](NodeId) { return false; });
  way.append(path.begin() + 1, path.end());
  path = std::move(way);
}

// ---- regions come and go ----------------------------------------------------------------------

std::optional<NodeId> RegionTable::make(NodeId parent, AgentId producer) {
  const std::optional<std::uint64_t> serial = store_.new_serial(link_.self(), parent);
  if (!serial) return {};
  const NodeId region = proto::make_region_id(link_.self(), *serial);
  if (!store_.open(region)) return {};
  enter(region, parent, producer);
  return region;
}

void RegionTable::enter(NodeId region, NodeId parent, AgentId producer) {
  Region& made = *regions_.try_emplace(region.bits).first;
  made.parent = parent;
  made.written = new_version(producer, {});
  queues_.add_region(region, parent);
  placer_.region_added();
}

const char* RegionTable::broken_invariant() const {
  const char* broken = nullptr;
  regions_.for_each([&](std::uint64_t bits, const Region& region) {
    const NodeId id{bits};
    if (!queues_.has_region(id)) broken = "a region has no queue";
    const Region* const around = regions_.find(region.parent.bits);
    const bool is_child = around != nullptr && region.parent != id;
    if (is_child && !around->children.contains(id)) broken = "a region does not know a child here";
    for (const NodeId child : region.children) {
      if (proto::owner_of_region(child) != link_.self()) continue;
      const Region* const inside = regions_.find(child.bits);
      if (inside == nullptr || inside->parent != id) broken = "a region's child is not in it";
    }
  });
  collections_.for_each([&](std::uint64_t, const Collection& collection) {
    if (collection.missing == 0) broken = "a pack waits for nothing";
  });
  return broken;
}

void RegionTable::handle(proto::NewRegion& message) {
  const Region* const parent = regions_.find(message.parent.bits);
  if (parent == nullptr) {
    link_.send(
        message.asker,
        proto::RegionMade{
            .request = message.request, .region = {}, .made = false, .is_parent_known = false});
    return;
  }
  make_below({.request = message.request,
              .asker = message.asker,
              .parent = message.parent,
              .location = parent->written.by,
              .level_hint = message.level_hint});
}

void RegionTable::handle(proto::Foster& message) { make_below(message); }

// Here, or one level further down if the hint says so.
void RegionTable::make_below(proto::Foster foster) {
  const Topology& topology = link_.topology();
  const auto level = static_cast<std::int32_t>(topology.level(link_.self()));
  if (foster.level_hint < level && !topology.is_leaf_scheduler(link_.self())) {
    link_.send(child_for(foster), foster);
    return;
  }
  if (try_make(foster)) return;
  pages_.wait(1, {.retry = [this, foster] { return try_make(foster); },
                  .give_up = [this, foster] { answer(foster, {}); }});
}

AgentId RegionTable::child_for(const proto::Foster& foster) {
  const bool is_below = link_.topology().is_within(foster.asker, link_.self());
  if (rules_.runs_tasks || !is_below) return placer_.place_region();
  return link_.topology().next_hop(link_.self(), foster.asker);
}

bool RegionTable::try_make(const proto::Foster& foster) {
  const std::optional<NodeId> region = make(foster.parent, foster.location);
  if (!region) return false;
  // Where a task may ask from any place, the end of what holds the parent is told by another way
  // than this one, and only the parent's owner can answer before that. Else the asker hears at
  // once.
  const bool asks_anywhere = !rules_.runs_tasks || !rules_.moves_data;
  // First: the asker's next task may already want the whole parent.
  if (has(foster.parent)) {
    regions_.at(foster.parent.bits).children.insert(*region);
  } else {
    proto::Fostered fostered{.parent = foster.parent, .child = *region};
    if (asks_anywhere) {
      fostered.request = foster.request;
      fostered.asker = foster.asker;
    }
    link_.send(proto::owner_of_region(foster.parent), fostered);
    if (asks_anywhere) return true;
  }
  answer(foster, region);
  return true;
}

void RegionTable::answer(const proto::Foster& foster, std::optional<NodeId> region) {
  link_.send(foster.asker, proto::RegionMade{.request = foster.request,
                                             .region = region.value_or(NodeId{}),
                                             .made = region.has_value()});
}

void RegionTable::handle(proto::Fostered& message) {
  Region* const parent = regions_.find(message.parent.bits);
  MYR_ASSERT(parent != nullptr || message.asker != kNoAgent);
  if (parent != nullptr) {
    parent->children.insert(message.child);
  } else {  // a worker frees it while another one makes a region in it: the child goes, too
    link_.send(proto::owner_of_region(message.child), proto::Free{.node = message.child});
  }
  if (message.asker == kNoAgent) return;
  link_.send(message.asker, proto::RegionMade{.request = message.request,
                                              .region = message.child,
                                              .made = true,
                                              .is_parent_known = parent != nullptr});
}

void RegionTable::handle(proto::Free& message) {
  if (message.task != 0 && !end_free(message)) return;
  free(message.node);
}

void RegionTable::free(NodeId node) {
  if (!node.is_region()) {
    const std::optional<NodeId> region = store_.region_of(node.value());
    if (!region) return;  // a worker that shares the memory frees the region
    Region& around = regions_.at(region->bits);
    around.strays.erase(node.value());
    forget_parts(node, around);
    store_.free(node.value());
    return;
  }
  // A region around it may have been freed since, by an owner that had not heard of this free.
  const Region* const found = regions_.find(node.bits);
  if (found == nullptr) return;
  const NodeId parent = found->parent;
  free_region(node);
  drop_child(parent, node);
}

void RegionTable::handle(proto::Release& message) {
  if (const AgentId further = next_owner(message.node); further != kNoAgent) {
    link_.send(further, message);
    return;
  }
  const bool is_known = has_node(message.node);
  if (is_known) free(message.node);
  link_.send(message.asker, proto::Released{.request = message.request, .is_known = is_known});
}

// False: a task has come behind the one that frees, or its parent was given the node itself.
bool RegionTable::end_free(const proto::Free& message) {
  queues_.done(message.task, {&message.node, 1});
  if (queues_.is_idle(message.node)) return true;
  link_.environment().misuse(Misuse::FreedWhileUsed, message.program,
                             {.node = message.node, .mode = proto::Mode::Write});
  return false;
}

template <class Visit>
void RegionTable::for_subtree(NodeId top, std::vector<NodeId>& elsewhere, Visit&& visit) const {
  std::vector<NodeId> left{top};
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    Region& region = regions_.at(id.bits);
    visit(id, region);
    const std::size_t first = left.size();
    for (const NodeId child : region.children) (has(child) ? left : elsewhere).push_back(child);
    std::reverse(left.begin() + static_cast<std::ptrdiff_t>(first), left.end());
  }
}

// Frees it with all regions inside; those elsewhere by a message to their owners, which find no
// parent to tell.
void RegionTable::free_region(NodeId top) {
  std::vector<NodeId> here;
  std::vector<NodeId> elsewhere;
  for_subtree(top, elsewhere, [&](NodeId id, Region&) { here.push_back(id); });
  for (const NodeId id : elsewhere) {
    link_.send(proto::owner_of_region(id), proto::Free{.node = id});
  }
  // Inner ones first.
  for (auto id = here.rbegin(); id != here.rend(); ++id) {
    queues_.remove_region(*id);
    store_.close(*id);
    regions_.erase(id->bits);
    placer_.region_removed();
  }
}

void RegionTable::drop_child(NodeId parent, NodeId child) {
  Region* const found = regions_.find(parent.bits);
  if (found != nullptr) {
    found->children.erase(child);
  } else if (proto::owner_of_region(parent) != link_.self()) {
    link_.send(proto::owner_of_region(parent), proto::Orphaned{.parent = parent, .child = child});
  }
}

void RegionTable::handle(proto::Orphaned& message) { drop_child(message.parent, message.child); }

void RegionTable::handle(proto::Allocate& message) {
  if (try_allocate(message)) return;
  pages_.wait(pages_for(message.bytes, message.count),
              {.retry = [this, message] { return try_allocate(message); },
               .give_up = [this, message] { answer(message, {}); }});
}

bool RegionTable::try_allocate(const proto::Allocate& message) {
  Region* const region = regions_.find(message.region.bits);
  if (region == nullptr) {
    link_.send(
        message.asker,
        proto::Allocated{.request = message.request, .addresses = {}, .is_region_known = false});
    return true;
  }
  std::vector<std::uint64_t> addresses =
      store_.allocate(message.region, message.bytes, message.count);
  if (addresses.size() != message.count) return false;
  if (rules_.runs_tasks) {
    // The asker will write them first, even if a task before it has yet to get the region.
    for (const std::uint64_t address : addresses) {
      region->strays[address] = new_version(message.asker, message.time);
    }
  }
  answer(message, std::move(addresses));
  return true;
}

void RegionTable::answer(const proto::Allocate& message, std::vector<std::uint64_t> addresses) {
  link_.send(message.asker,
             proto::Allocated{.request = message.request, .addresses = std::move(addresses)});
}

// ---- regions that workers make ----------------------------------------------------------------

void RegionTable::handle(proto::Lend& message) {
  if (try_lend(message)) return;
  pages_.wait(message.pages, {.retry = [this, message] { return try_lend(message); },
                              .give_up =
                                  [this, message] {
                                    link_.send(message.asker,
                                               proto::Lent{.request = message.request,
                                                           .owner = link_.self(),
                                                           .indices = {},
                                                           .pages = {}});
                                  }});
}

bool RegionTable::try_lend(const proto::Lend& message) {
  proto::Lent lent{.request = message.request, .owner = link_.self(), .indices = {}, .pages = {}};
  if (message.pages != 0) {
    const std::optional<proto::PageRun> pages = pages_.take(message.pages);
    if (!pages) return false;
    lent.pages.push_back(*pages);
  }
  lent.indices = store_.lend_indices(message.indices);
  link_.send(message.asker, std::move(lent));
  return true;
}

// The maker has written what it holds, so it has all that is in these regions.
void RegionTable::handle(proto::HandOver& message) {
  std::span<const std::byte> memory = message.memory;
  for (const proto::MadeRegion& made : message.regions) {
    store_.take_over(made, memory);
    enter(made.region, made.parent, message.maker);
    regions_.at(made.parent.bits).children.insert(made.region);
  }
}

// ---- who has what -----------------------------------------------------------------------------

void RegionTable::handle(proto::Relocate& message) {
  const Written written = new_version(message.producer, std::move(message.time));
  for (const NodeId node : message.nodes) {
    if (node.is_region()) {
      relocate_regions(node, written);
      continue;
    }
    const std::optional<NodeId> around = store_.region_of(node.value());
    if (!around) continue;  // freed by a worker that shares the memory
    Region& region = regions_.at(around->bits);
    if (message.parts.empty()) {
      relocate_object(node, region, written);
    } else {
      relocate_parts(store_.range_of(node.value()), region, written, message.parts);
    }
  }
}

void RegionTable::relocate_object(NodeId object, Region& region, Written written) {
  forget_parts(object, region);
  region.strays[object.value()] = std::move(written);
}

void RegionTable::relocate_parts(ByteRange object, Region& region, const Written& written,
                                 const std::vector<proto::UsedRange>& parts) {
  const std::uint64_t object_end = object.address + object.bytes;
  for (const proto::UsedRange& part : parts) {
    region.parts.set(std::max(part.address, object.address),
                     std::min(part.address + part.bytes, object_end), written);
  }
}

void RegionTable::forget_parts(NodeId object, Region& region) {
  if (region.parts.empty()) return;
  const ByteRange range = store_.range_of(object.value());
  region.parts.erase(range.address, range.address + range.bytes);
}

void RegionTable::relocate_regions(NodeId top, const Written& written) {
  if (!has(top)) return;  // freed while the message was on its way
  std::vector<NodeId> elsewhere;
  for_subtree(top, elsewhere, [&](NodeId, Region& region) { relocate(region, written); });
  for (const NodeId id : elsewhere) {
    link_.send(proto::owner_of_region(id),
               proto::Relocate{.nodes = {id}, .producer = written.by, .time = written.at});
  }
}

// What is made later than `written.at`, in the serial program, is not the new producer's.
void RegionTable::relocate(Region& region, const Written& written) {
  region.written = written;
  region.parts.erase_if([&](const Written& part) { return part.at < region.written.at; });
  if (region.strays.size() < region.sweep_at) return;
  std::erase_if(region.strays,
                [&](const auto& stray) { return stray.second.at < region.written.at; });
  region.sweep_at = kSweepMin + 2 * region.strays.size();
}

bool RegionTable::pack_object(NodeId object, NodeId region, Pieces& pieces) const {
  const Region* const around = regions_.find(region.bits);
  if (around == nullptr) return false;
  add_pieces(object, *around, pieces);
  const bool is_there = pieces.back().bytes != 0;
  if (!is_there) pieces.pop_back();
  return is_there;
}

void RegionTable::add_pieces(NodeId object, const Region& region, Pieces& pieces) const {
  const auto stray = region.strays.find(object.value());
  const Written& last =
      stray == region.strays.end() ? region.written : region.last_of(stray->second);
  add_pieces(store_.range_of(object.value()), region, last, pieces);
}

// Pieces of an object of which no part was written are `last`.
void RegionTable::add_pieces(ByteRange range, const Region& region, const Written& last,
                             Pieces& pieces) {
  std::uint64_t begin = range.address;
  const std::uint64_t end = range.address + range.bytes;
  const auto add = [&](std::uint64_t until, const Written& by) {
    pieces.push_back({.address = begin,
                      .bytes = until - begin,
                      .producer = by.by,
                      .version = by.version,
                      .goes_on = begin != range.address});
    begin = until;
  };
  region.parts.visit(begin, end, [&](auto first, auto until, const Written& part) {
    if (first > begin) add(first, last);
    add(until, part);
    return true;
  });
  if (begin < end || range.bytes == 0) add(end, last);
}

void RegionTable::wait_for_pieces(Collection collection, const std::vector<NodeId>& elsewhere) {
  const proto::RequestId request = next_request_++;
  for (const NodeId region : elsewhere) {
    link_.send(proto::owner_of_region(region),
               proto::Pack{.request = request, .asker = link_.self(), .region = region});
  }
  collections_.try_emplace(request, std::move(collection));
}

void RegionTable::ask_for_pieces(AgentId owner, NodeId node, Then then) {
  const proto::RequestId request = next_request_++;
  collections_.try_emplace(request,
                           Collection{.missing = 1, .pieces = {}, .then = std::move(then)});
  link_.send(owner, proto::Pack{.request = request, .asker = link_.self(), .region = node});
}

void RegionTable::collect(NodeId top, Pieces& pieces, std::vector<NodeId>& elsewhere) const {
  if (!rules_.moves_data) {  // nothing is going to be fetched; near is where the region was written
    pieces.push_back(
        {.address = 0, .bytes = proto::kPageBytes, .producer = regions_.at(top.bits).written.by});
    return;
  }
  for_subtree(top, elsewhere, [&](NodeId id, const Region& region) {
    for (const ByteRange& range : store_.pack(id)) cut_out(region, range, pieces, store_);
  });
  for (Piece& piece : pieces) piece.in_region = true;
}

// A range of the region, in pieces: objects that others have written are pieces of their own.
void RegionTable::cut_out(const Region& region, ByteRange range, Pieces& pieces,
                          const Store& store) {
  std::uint64_t begin = range.address;
  const auto add = [&](std::uint64_t end, const Written& last) {
    if (end > begin) add_pieces({.address = begin, .bytes = end - begin}, region, last, pieces);
    begin = std::max(begin, end);
  };
  const std::uint64_t range_end = range.address + range.bytes;
  for (auto stray = region.strays.lower_bound(range.address);
       stray != region.strays.end() && stray->first < range_end; ++stray) {
    if (stray->second.at < region.written.at) continue;
    add(stray->first, region.written);
    add(stray->first + store.range_of(stray->first).bytes, stray->second);
  }
  add(range_end, region.written);
}

void RegionTable::handle(proto::Pack& message) {
  if (const AgentId further = next_owner(message.region); further != kNoAgent) {
    link_.send(further, message);
    return;
  }
  const auto answer = [this, request = message.request, asker = message.asker](Pieces pieces) {
    link_.send(asker, proto::Packed{.request = request, .pieces = std::move(pieces)});
  };
  // If it has been freed, the owner of its parent has not heard of it yet.
  if (pack(message.region, answer)) return;
  link_.send(message.asker,
             proto::Packed{.request = message.request, .pieces = {}, .is_known = false});
}

void RegionTable::handle(proto::Packed& message) {
  Collection& collection = collections_.at(message.request);
  collection.pieces.append(message.pieces.begin(), message.pieces.end());
  collection.missing -= 1;
  if (collection.missing != 0) return;
  Collection complete = std::move(collection);
  collections_.erase(message.request);
  complete.then(std::move(complete.pieces));
}

}  // namespace myr::sched
