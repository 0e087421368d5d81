// arrays.hpp: NumPy arrays in and out, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "treewright/columns.hpp"

namespace treewright::bind {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// Hands a vector over to NumPy; the array frees it.
template <class T, class Allocator>
nb::object to_numpy(std::vector<T, Allocator>&& values, std::initializer_list<size_t> shape) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner));
}
template <class T, class Allocator>
nb::object to_numpy(std::vector<T, Allocator>&& values) {
  const size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

inline ColumnView view_of(const AnyArray& array, Kind kind) {
  if (array.ndim() != 1) {
    throw std::invalid_argument("a column must be a one-dimensional array");
  }
  ColumnView view;
  view.kind = kind;
  view.data = static_cast<const std::byte*>(array.data());
  view.stride = static_cast<ptrdiff_t>(array.stride(0)) * static_cast<ptrdiff_t>(array.itemsize());
  if (kind == Kind::numeric && array.dtype() == nb::dtype<float>()) {
    view.storage = Storage::float32;
  } else if (kind == Kind::numeric && array.dtype() == nb::dtype<double>()) {
    view.storage = Storage::float64;
  } else if (kind != Kind::numeric && array.dtype() == nb::dtype<int32_t>()) {
    view.storage = Storage::int32;
  } else {
    throw std::invalid_argument(
        "a numeric column must be float32 or float64, any other int32 codes");
  }
  return view;
}

// ---- bytes ----

inline std::span<const char> span_of(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}
inline nb::bytes to_python(const std::string& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace treewright::bind
