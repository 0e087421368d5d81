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

#include "treewright/portable.hpp"

namespace treewright {

template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(size_t n) {
    if (is_mapped(n)) {
      return static_cast<T*>(map_memory(n * sizeof(T)));
    }
    return std::allocator<T>().allocate(n);  // refuses what has no size in bytes
  }
  void deallocate(T* memory, size_t n) {
    if (is_mapped(n)) {
      unmap_memory(memory, n * sizeof(T));
      return;
    }
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
    return kMapsMemory && n >= kLargePage / 16 / sizeof(T) && n <= SIZE_MAX / sizeof(T);
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright
