// SPDX-License-Identifier: Apache-2.0
//
// Stack of blocks on their way back to their owner: any thread pushes, the owner takes all at once.
// As nobody takes single blocks, a block that comes back twice (ABA) does no harm.
//
// `Block` has a member `next` that a Block* can be assigned to and that converts to one; it belongs
// to the stack while the block is in it.
#pragma once

#include "sync/atomic.hpp"

namespace myr::sync {

template <class Block>
class ReturnStack {
 public:
  // Pushes the blocks from `first` to `last`, linked by `next`. `last->next` is overwritten. Any
  // thread. Order: what the caller wrote into the blocks is visible to owner_take_all()
  // [return.chain].
  void any_push_chain(Block* first, Block* last) noexcept {
    Block* head = head_.load(relaxed);
    do {
      last->next = head;
      // [return.chain] The owner sees the links and the contents of all blocks.
    } while (!head_.compare_exchange_weak(head, first, release, relaxed));
  }

  // A hint, unless a fence orders it.
  [[nodiscard]] bool is_empty() const noexcept { return head_.load(relaxed) == nullptr; }

  // Takes everything: the newest block, linked to the others, or nullptr. Owner only.
  // Cost: a load if there is nothing, else one exchange.
  [[nodiscard]] Block* owner_take_all() noexcept {
    if (head_.load(relaxed) == nullptr) return nullptr;
    return head_.exchange(nullptr, acquire);  // [return.chain]
  }

 private:
  Atomic<Block*> head_{nullptr};  // written by all [return.chain]
};

}  // namespace myr::sync
