// portable.hpp: everything that depends on the compiler, the processor or the operating system.
#pragma once

#include <version>

#ifdef __cpp_lib_to_chars
#include <charconv>
#else
#include <cstdio>
#include <cstdlib>
#endif
#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

// ---- integers of 128 bits ----

#ifndef __SIZEOF_INT128__
#error "treewright needs 128-bit integers: compile with gcc or clang (on Windows, clang-cl)."
#endif

namespace treewright {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

}  // namespace treewright

// ---- decimals ----

namespace treewright {

// The double nearest to the decimal that t is with so many significant digits, at most 17.
inline double with_digits(double t, int digits) {
  char text[40];
#ifdef __cpp_lib_to_chars
  const auto end = std::to_chars(text, text + sizeof text, t, std::chars_format::general, digits);
  double result = t;
  std::from_chars(text, end.ptr, result);
  return result;
#else
  // No libc++ up to version 22 announces from_chars for doubles. These two follow the locale, but
  // both the same one.
  std::snprintf(text, sizeof text, "%.*g", digits, t);
  return std::strtod(text, nullptr);
#endif
}

}  // namespace treewright

// ---- vector instructions ----

// TREEWRIGHT_LANES is defined where kernels in vector instructions can be compiled: AVX2 on x86-64,
// NEON on ARM64. has_lanes() tells whether this processor has them, and TREEWRIGHT_TARGET marks the
// functions that use them. Elsewhere, and with TREEWRIGHT_PLAIN_LOOPS, the plain loops do all the
// work.
#if defined(TREEWRIGHT_PLAIN_LOOPS)
#elif defined(__x86_64__)
#define TREEWRIGHT_LANES 1
#define TREEWRIGHT_TARGET __attribute__((target("avx2,bmi2,popcnt")))

namespace treewright::simd {

inline bool has_lanes() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt");
  return has;
}

}  // namespace treewright::simd
#elif defined(__aarch64__) && defined(__ORDER_LITTLE_ENDIAN__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TREEWRIGHT_LANES 1
#define TREEWRIGHT_TARGET

namespace treewright::simd {

constexpr bool has_lanes() { return true; }

}  // namespace treewright::simd
#endif

// ---- memory ----

namespace treewright {

// Memory directly from the system, which gets it back at once; see large_vector.hpp.
#ifdef __linux__
constexpr bool kMapsMemory = true;
constexpr size_t kLargePage = size_t(1) << 21;

inline void* map_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  // Hints; the system may ignore them. All of it will be filled, so asking for all small pages at
  // once saves a page fault for each.
  if (bytes >= kLargePage) {
    madvise(memory, bytes, MADV_HUGEPAGE);
  } else {
#ifdef MADV_POPULATE_WRITE
    madvise(memory, bytes, MADV_POPULATE_WRITE);
#endif
  }
  return memory;
}
inline void unmap_memory(void* memory, size_t bytes) { munmap(memory, bytes); }
#else
constexpr bool kMapsMemory = false;
constexpr size_t kLargePage = size_t(1) << 21;

inline void* map_memory(size_t) { throw std::bad_alloc(); }
inline void unmap_memory(void*, size_t) {}
#endif

// Returns freed memory to the system: the allocator keeps small pieces, and a large tree has very
// many of them.
inline void release_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace treewright
