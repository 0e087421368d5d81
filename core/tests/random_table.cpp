#include <cmath>
#include <cstring>
#include <limits>

#include "check.hpp"

namespace treewright::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One value in the style of its column; no missing values yet.
double random_value(Random& random, int64_t style, double largest) {
  switch (style) {
    case 0:  // few values, many ties
      return static_cast<double>(random.whole(-2, 2));
    case 1:
      return random.normal();
    case 2:  // neighbouring floats and both zeros
      return random.share() < 0.2 ? -0.0 : std::ldexp(random.normal(), -140);
    case 3:  // crowded by outliers
      return random.share() < 0.05 ? 1e30 * random.normal() : 1e-6 * random.normal();
    case 4: {  // the ends of the scale
      const double ends[] = {-kInfinity, -largest, 0.0, largest, kInfinity};
      return ends[random.whole(0, 4)];
    }
    case 5:
      return random.share() < 0.5 ? largest : kInfinity;
    case 6:
      return random.share() < 0.5 ? -largest : -kInfinity;
    default:  // one value only
      return 7.0;
  }
}

template <class T>
void put(std::vector<std::byte>& memory, ptrdiff_t position, T value) {
  std::memcpy(memory.data() + position, &value, sizeof(T));
}

}  // namespace

int64_t Random::whole(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(engine_);
}

RandomTable::RandomTable(Random& random, int64_t rows, size_t n_columns)
    : n_rows(rows), memory(n_columns), views(n_columns) {
  for (size_t c = 0; c < n_columns; ++c) {
    ColumnView& view = views[c];
    view.kind = static_cast<Kind>(random.whole(0, 2));
    const bool wide = random.share() < 0.5;
    if (view.kind == Kind::numeric) {
      view.storage = wide ? Storage::float64 : Storage::float32;
    } else {
      view.storage = Storage::int32;
    }
    const ptrdiff_t size = view.storage == Storage::float64 ? 8 : 4;
    view.stride = size * random.whole(1, 3);
    // Exactly as large as needed, so that a read past the last row is seen.
    memory[c].resize(rows == 0 ? 0 : static_cast<size_t>(view.stride * (rows - 1) + size));
    view.data = memory[c].data();
    const double missing = random.share() < 0.5 ? 0.0 : random.share();
    const int64_t style = random.whole(0, 7);
    const double largest =
        wide ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
    const int64_t last_code = random.whole(0, 1) == 0 ? 3 : 30;
    for (int64_t row = 0; row < rows; ++row) {
      const bool is_missing = random.share() < missing;
      const ptrdiff_t at = view.stride * row;
      if (view.kind != Kind::numeric) {
        put(memory[c], at,
            is_missing ? int32_t{-1} : static_cast<int32_t>(random.whole(0, last_code)));
        continue;
      }
      const double value = is_missing ? std::nan("") : random_value(random, style, largest);
      if (wide) {
        put(memory[c], at, value);
      } else {
        put(memory[c], at, static_cast<float>(value));
      }
    }
  }
}

}  // namespace treewright::testing
