// SPDX-License-Identifier: Apache-2.0
//
// Those entry points for Fortran that take more than a pointer to each argument: texts have their
// length behind, and are padded with blanks.
#include <cstring>

#include "omp/abi.hpp"
#include "omp/places.hpp"
#include "omp/team.hpp"
#include "omp/threads.hpp"

using namespace myr::omp;

MYR_OMP_API int omp_get_place_num_procs(int index);
MYR_OMP_API void omp_get_place_proc_ids(int index, int* ids);
MYR_OMP_API int omp_get_partition_num_places();
MYR_OMP_API void omp_get_partition_place_nums(int* numbers);
MYR_OMP_API int omp_pause_resource_all(int kind);
MYR_OMP_API std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const void* traits);
MYR_OMP_API void omp_destroy_allocator(std::uintptr_t handle);
MYR_OMP_API void omp_set_default_allocator(std::uintptr_t handle);
MYR_OMP_API std::uintptr_t omp_get_default_allocator();

namespace {

// A text of C from one of Fortran. Ends with the scope.
class CText {
 public:
  CText(const char* text, std::size_t length) : text_(new char[length + 1]) {
    while (length != 0 && text[length - 1] == ' ') --length;
    std::memcpy(text_, text, length);
    text_[length] = 0;
  }
  CText(const CText&) = delete;
  CText& operator=(const CText&) = delete;
  ~CText() { delete[] text_; }
  [[nodiscard]] const char* get() const noexcept { return text_; }

 private:
  char* text_;
};

void pad(char* buffer, std::size_t room, std::size_t length) noexcept {
  if (length < room) std::memset(buffer + length, ' ', room - length);
}

}  // namespace

MYR_OMP_API void omp_fulfill_event_(std::uintptr_t event) {
  fulfill(reinterpret_cast<Task*>(event));
}
MYR_OMP_API int omp_pause_resource_(const int* kind, const int*) {
  return omp_pause_resource_all(*kind);
}
MYR_OMP_API int omp_pause_resource_all_(const int* kind) { return omp_pause_resource_all(*kind); }

MYR_OMP_API void omp_get_place_proc_ids_8_(const long long* index, long long* ids) {
  const int count = omp_get_place_num_procs(static_cast<int>(*index));
  int narrow[CPU_SETSIZE];
  omp_get_place_proc_ids(static_cast<int>(*index), narrow);
  for (int i = 0; i < count; ++i) ids[i] = narrow[i];
}
MYR_OMP_API void omp_get_partition_place_nums_8_(long long* numbers) {
  const int count = omp_get_partition_num_places();
  const Thread& self = myr::omp::self();
  for (int i = 0; i < count; ++i) numbers[i] = static_cast<long long>(self.places_first) + i;
}

MYR_OMP_API void omp_set_affinity_format_(const char* format, std::size_t length) {
  set_affinity_format(CText(format, length).get());
}
MYR_OMP_API int omp_get_affinity_format_(char* buffer, std::size_t room) {
  const char* format = affinity_format();
  const std::size_t length = std::strlen(format);
  std::memcpy(buffer, format, length < room ? length : room);
  pad(buffer, room, length);
  return static_cast<int>(length);
}
MYR_OMP_API void omp_display_affinity_(const char* format, std::size_t length) {
  print_thread(self(), CText(format, length).get());
}
MYR_OMP_API int omp_capture_affinity_(char* buffer, const char* format, std::size_t room,
                                      std::size_t format_length) {
  char text[1024];
  const CText wanted(format, format_length);
  const std::size_t length = describe_thread(self(), wanted.get(), text, sizeof text);
  const std::size_t known = length < sizeof text ? length : sizeof text - 1;
  std::memcpy(buffer, text, known < room ? known : room);
  pad(buffer, room, known);
  return static_cast<int>(length);
}

MYR_OMP_API std::uintptr_t omp_init_allocator_(const std::uintptr_t* space, const int* count,
                                               const void* traits) {
  return omp_init_allocator(*space, *count, traits);
}
MYR_OMP_API std::uintptr_t omp_init_allocator_8_(const std::uintptr_t* space,
                                                 const long long* count, const void* traits) {
  return omp_init_allocator(*space, static_cast<int>(*count), traits);
}
MYR_OMP_API void omp_destroy_allocator_(const std::uintptr_t* handle) {
  omp_destroy_allocator(*handle);
}
MYR_OMP_API void omp_set_default_allocator_(const std::uintptr_t* handle) {
  omp_set_default_allocator(*handle);
}
MYR_OMP_API std::uintptr_t omp_get_default_allocator_() { return omp_get_default_allocator(); }
