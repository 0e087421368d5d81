// large.hpp: vectors of millions of numbers.
//
// Their memory is asked for in pages of 2 MB where the system has them: new memory is then
// cleared and found in 512 times fewer steps, which is felt in every pass that jumps from row
// to row. resize() leaves new numbers unset, because whoever resizes fills them.
#pragma once

#include <cstdlib>
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
  static constexpr size_t kPage = size_t(1) << 21;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(size_t n) {
#ifdef __linux__
    if (n > SIZE_MAX / sizeof(T) - kPage) {
      throw std::bad_alloc();
    }
    const size_t bytes = n * sizeof(T);
    if (is_mapped(bytes)) {
      void* memory =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) {
        throw std::bad_alloc();
      }
      return static_cast<T*>(memory);
    }
    if (bytes >= kPage) {
      const size_t whole = bytes / kPage * kPage;
      void* memory = std::aligned_alloc(kPage, whole == bytes ? whole : whole + kPage);
      if (memory == nullptr) {
        throw std::bad_alloc();
      }
      // Only a wish, and not for the last page if it would stay half empty.
      madvise(memory, whole, MADV_HUGEPAGE);
      return static_cast<T*>(memory);
    }
#endif
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, size_t n) {
#ifdef __linux__
    if (is_mapped(n * sizeof(T))) {
      munmap(memory, n * sizeof(T));
      return;
    }
    if (n * sizeof(T) >= kPage) {
      return std::free(memory);
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
  // Columns of this size come and go with every fold, each time in another thread, whose heap
  // would keep them; so they go back to the system at once.
  static bool is_mapped(size_t bytes) { return bytes >= kPage / 16 && bytes < kPage; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright
