// messages.hpp: bytes between the driver and the parts, in the order of this machine.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "treewright/parts.hpp"

namespace treewright::parts {

class Writer {
 public:
  template <class T>
  void put(const T& item) {
    const auto* from = reinterpret_cast<const char*>(&item);
    bytes.append(from, sizeof item);
  }
  template <class Items>
  void put_all(const Items& items) {
    put(static_cast<uint64_t>(items.size()));
    bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(items[0]));
  }
  // In 32 bits each if all of them fit.
  template <class T>
  void put_short(const std::vector<T>& items) {
    const bool fit = std::all_of(items.begin(), items.end(), [](T item) {
      return static_cast<int64_t>(item) == static_cast<int32_t>(item);
    });
    put(static_cast<uint32_t>(fit));
    if (fit) {
      put_all(std::vector<int32_t>(items.begin(), items.end()));
    } else {
      put_all(items);
    }
  }
  std::string sealed() { return seal(std::move(bytes)); }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : left_(unsealed(bytes)) {}
  template <class T>
  T get() {
    T item;
    std::memcpy(&item, take(sizeof item).data(), sizeof item);
    return item;
  }
  template <class Items>
  void get_all(Items& items) {
    const auto n = get<uint64_t>();
    constexpr size_t size = sizeof(items[0]);
    expect(n <= left_.size() / size);
    items.resize(static_cast<size_t>(n));
    if (n > 0) {
      std::memcpy(static_cast<void*>(items.data()), take(items.size() * size).data(),
                  items.size() * size);
    }
  }
  template <class T>
  std::vector<T> get_all() {
    std::vector<T> items;
    get_all(items);
    return items;
  }
  template <class T>
  std::vector<T> get_short() {
    if (get<uint32_t>() == 0) {
      return get_all<T>();
    }
    const auto items = get_all<int32_t>();
    return {items.begin(), items.end()};
  }

 private:
  std::span<const char> take(size_t n) {
    expect(n <= left_.size());
    const auto taken = left_.first(n);
    left_ = left_.subspan(n);
    return taken;
  }
  std::span<const char> left_;
};

}  // namespace treewright::parts
