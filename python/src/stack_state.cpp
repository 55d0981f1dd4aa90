// SPDX-License-Identifier: Apache-2.0
#include "stack_state.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace myr::py {

namespace {

// The first chunk of a stack of frames, which the interpreter never frees by itself.
struct Chunk {
  _PyStackChunk* chunk;
  PyObject** top;
  PyObject** limit;
};
std::vector<Chunk>& spare_chunks() {  // guarded by the interpreter's lock
  static auto* chunks = new std::vector<Chunk>;
  return *chunks;
}
int thread_calls = 0;  // guarded by the interpreter's lock
constexpr std::size_t kSpareChunks = 256;

bool& runs_task() {
  thread_local bool runs = false;
  return runs;
}

// A worker's thread keeps its PyThreadState from body to body.
class KeptThread {
 public:
  void keep() {
    if (is_kept_) return;
    is_kept_ = true;
    PyGILState_Ensure();
  }
  ~KeptThread() {
    if (!is_kept_ || Py_IsInitialized() == 0) return;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyGILState_Release(PyGILState_LOCKED);  // that of keep()
    PyGILState_Release(lock);               // the last one: frees the state
  }

 private:
  bool is_kept_ = false;
};

PyGILState_STATE take_lock() {
  thread_local KeptThread kept;
  const bool is_strange = PyGILState_GetThisThreadState() == nullptr;
  const PyGILState_STATE lock = PyGILState_Ensure();
  if (is_strange) kept.keep();
  return lock;
}

// A state that belongs to no stack: of a thread below its first frame.
void leave_empty(PyThreadState& thread) {
  thread.cframe = &thread.root_cframe;
  thread.exc_info = &thread.exc_state;
  thread.context = nullptr;
  thread.context_ver += 1;
  thread.datastack_chunk = nullptr;
  thread.datastack_top = nullptr;
  thread.datastack_limit = nullptr;
  thread.recursion_remaining = thread.recursion_limit;
  thread.trash_delete_nesting = 0;
  thread.tracing = 0;
  runs_task() = false;
}

// Its stack of frames is empty, and another one gets the memory.
void spare_chunk_of(const PyThreadState& thread) {
  _PyStackChunk* const chunk = thread.datastack_chunk;
  if (chunk == nullptr) return;
  std::vector<Chunk>& spare = spare_chunks();
  if (spare.size() < kSpareChunks) {
    spare.push_back({chunk, thread.datastack_top, thread.datastack_limit});
    return;
  }
  PyObjectArenaAllocator arena;
  PyObject_GetArenaAllocator(&arena);
  arena.free(arena.ctx, chunk, chunk->size);
}

}  // namespace

StackState StackState::of(const PyThreadState& thread) {
  return {.cframe = thread.cframe,
          .exc_info = thread.exc_info,
          .context = thread.context,
          .chunk = thread.datastack_chunk,
          .top = thread.datastack_top,
          .limit = thread.datastack_limit,
          .recursion_remaining = thread.recursion_remaining,
          .trash_delete_nesting = thread.trash_delete_nesting,
          .tracing = thread.tracing,
          .is_task = runs_task()};
}

void StackState::install(PyThreadState& thread) const {
  thread.cframe = cframe;
  thread.exc_info = exc_info;
  if (thread.context != context) {
    thread.context = context;
    thread.context_ver += 1;
  }
  thread.datastack_chunk = chunk;
  thread.datastack_top = top;
  thread.datastack_limit = limit;
  thread.recursion_remaining = recursion_remaining;
  thread.trash_delete_nesting = trash_delete_nesting;
  thread.tracing = tracing;
  runs_task() = is_task;
}

Outside::Outside(Lock lock)
    : thread_(PyThreadState_Get()),
      state_(StackState::of(*thread_)),
      released_(lock == Lock::Release) {
  leave_empty(*thread_);
  if (!released_) return;
  if (!state_.is_task) thread_calls += 1;
  PyEval_SaveThread();
}

Outside::~Outside() {
  if (released_) {
    PyEval_RestoreThread(thread_);
    if (!state_.is_task) thread_calls -= 1;
  }
  spare_chunk_of(*thread_);
  state_.install(*thread_);
}

Inside::Inside() : lock_(take_lock()), thread_(PyThreadState_Get()) {
  const bool is_traced = thread_->c_tracefunc != nullptr || thread_->c_profilefunc != nullptr;
  root_ = {.use_tracing = static_cast<std::uint8_t>(is_traced ? 255 : 0),
           .current_frame = nullptr,
           .previous = nullptr};
  StackState fresh{.cframe = &root_,
                   .exc_info = &handled_,
                   .context = nullptr,
                   .chunk = nullptr,
                   .top = nullptr,
                   .limit = nullptr,
                   .recursion_remaining = thread_->recursion_limit,
                   .trash_delete_nesting = 0,
                   .tracing = 0,
                   .is_task = true};
  std::vector<Chunk>& spare = spare_chunks();
  if (!spare.empty()) {
    fresh.chunk = spare.back().chunk;
    fresh.top = spare.back().top;
    fresh.limit = spare.back().limit;
    spare.pop_back();
  }
  fresh.install(*thread_);
}

// What the thread has behind it, if anything, its Outside installs.
Inside::~Inside() {
  Py_CLEAR(thread_->context);
  spare_chunk_of(*thread_);
  leave_empty(*thread_);
  PyGILState_Release(lock_);
}

int calls_of_threads() { return thread_calls; }
void forget_calls() { thread_calls = 0; }

bool is_in_task() { return runs_task(); }

Unlocked::Unlocked() : thread_(nullptr), was_task_(std::exchange(runs_task(), true)) {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (own != nullptr && own == _PyThreadState_UncheckedGet()) thread_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  if (thread_ != nullptr) PyEval_RestoreThread(thread_);
  runs_task() = was_task_;
}

}  // namespace myr::py
