// large_vector.hpp: vectors of many numbers.
//
// Their memory comes from the system and returns to it at once: each fold grows in a thread of its
// own, whose heap would keep it. Vectors above 2 MB ask for pages of that size: there are then 512
// times fewer page faults, and fewer TLB misses in every pass with random access. resize() leaves
// new numbers uninitialised, because the caller fills them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace treewright {

template <class T>
struct LargeAllocator {
  using value_type = T;
  static constexpr size_t kLargePage = size_t(1) << 21;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(size_t n) {
#ifdef __linux__
    if (is_mapped(n)) {
      const size_t bytes = n * sizeof(T);
      void* memory =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) {
        throw std::bad_alloc();
      }
      // Hints; the system may ignore them. The whole vector will be filled, so asking for all small
      // pages at once saves a page fault for each.
      if (bytes >= kLargePage) {
        madvise(memory, bytes, MADV_HUGEPAGE);
      } else {
#ifdef MADV_POPULATE_WRITE
        madvise(memory, bytes, MADV_POPULATE_WRITE);
#endif
      }
      return static_cast<T*>(memory);
    }
#endif
    return std::allocator<T>().allocate(n);  // refuses what has no size in bytes
  }
  void deallocate(T* memory, size_t n) {
#ifdef __linux__
    if (is_mapped(n)) {
      munmap(memory, n * sizeof(T));
      return;
    }
#endif
    std::allocator<T>().deallocate(memory, n);
  }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const LargeAllocator&) const = default;

 private:
  static bool is_mapped(size_t n) {
    return n >= kLargePage / 16 / sizeof(T) && n <= SIZE_MAX / sizeof(T);
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright
