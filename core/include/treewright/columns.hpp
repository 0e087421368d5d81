// columns.hpp: a column of the caller's table, read where it lies.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "treewright/types.hpp"

namespace treewright {

enum class Storage : int8_t { float32, float64, int32 };

// A view: numeric columns are float32 or float64 (NaN = missing), categorical and
// ordinal ones are int32 codes (negative = missing). Any stride, no copy.
struct ColumnView {
  const std::byte* data = nullptr;
  ptrdiff_t stride = 0;  // bytes from one row to the next
  Storage storage = Storage::float64;
  Kind kind = Kind::numeric;

  template <class T>
  T get(int64_t row) const {
    T value;  // copied, because the caller's rows need not be aligned
    std::memcpy(&value, data + stride * row, sizeof value);
    return value;
  }
  // The value as a number; codes as themselves, NaN where missing.
  double value(int64_t row) const {
    switch (storage) {
      case Storage::float32:
        return static_cast<double>(get<float>(row));
      case Storage::float64:
        return get<double>(row);
      default: {
        const int32_t code = get<int32_t>(row);
        return code < 0 ? std::nan("") : static_cast<double>(code);
      }
    }
  }
  int32_t code(int64_t row) const { return get<int32_t>(row); }
};

}  // namespace treewright
