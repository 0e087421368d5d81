// core_check: the kernels on random tables, without Python.
//
// Meant to run under a sanitizer (make sanitize, make sanitize-thread). What the trees
// should be is decided by the Python tests; here it matters that every path runs
// cleanly and that the number of threads changes nothing.
//
//     core_check [--seconds S] [--rounds N] [--seed N]
//     core_check --buckets N [--seed N]    the bound of N buckets of each criterion, nothing else
//
// The digest of the trees of so many rounds is the same on every machine.
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "check.hpp"

namespace treewright::testing {

void Tally::expect(bool held, const std::string& claim) {
  ++(held ? passed_ : failed_);
  if (!held && failed_ <= 10) {
    std::fprintf(stderr, "FAILED: %s\n", claim.c_str());
  }
}

template <class Number>
void Tally::add(const LargeVector<Number>& numbers) {
  for (const Number number : numbers) {
    uint64_t bits;  // of the number, in any byte order
    if constexpr (std::is_floating_point_v<Number>) {
      bits = std::bit_cast<uint64_t>(number);
    } else {
      bits = static_cast<uint64_t>(number);
    }
    for (int shift = 0; shift < 64; shift += 8) {
      digest_ = (digest_ ^ (bits >> shift & 255)) * 0x100000001b3;
    }
  }
}

// What a tree is. Gains and impurities follow from it, and their logarithms are those of the C
// library, which may round differently.
void Tally::add(const FlatTree& tree) {
  ++n_trees_;
  add(tree.subtree_size);
  add(tree.split_kind);
  add(tree.feature);
  add(tree.threshold);
  add(tree.category_start);
  add(tree.categories);
  add(tree.category_branch);
  add(tree.missing_route);
  add(tree.n_rows);
  add(tree.label);
  add(tree.stop_reason);
  add(tree.surrogate_feature);
  add(tree.surrogate_threshold);
}

bool Tally::report() const {
  std::printf("core_check: %lld passed, %lld failed; digest of %lld trees: %016llx\n",
              static_cast<long long>(passed_), static_cast<long long>(failed_),
              static_cast<long long>(n_trees_), static_cast<unsigned long long>(digest_));
  return failed_ == 0 && passed_ > 0;
}

}  // namespace treewright::testing

int main(int argc, char** argv) {
  using namespace treewright::testing;
  double seconds = 20.0;
  uint64_t rounds = 0;  // 0: as many as the seconds allow
  uint64_t seed = 0;
  int64_t n_buckets = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) {
      seconds = std::atof(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--rounds") == 0) {
      rounds = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (std::strcmp(argv[i], "--buckets") == 0) {
      n_buckets = std::strtoll(argv[i + 1], nullptr, 10);
    } else {
      std::fprintf(stderr,
                   "unknown option %s; known: --seconds S, --rounds N, --seed N, --buckets N\n",
                   argv[i]);
      return 2;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  if (n_buckets > 0) {
    Random random(seed);
    check_bounds(tally, random, n_buckets);
    return tally.report() ? 0 : 1;
  }
  uint64_t done = 0;
  const auto is_over = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return rounds > 0 ? done >= rounds : passed.count() >= seconds;
  };
  // At least one round; round i uses seed + i, so a failure can be repeated.
  do {
    ++done;
    Random random(seed++);
    check_team(tally, random);
    check_sorting(tally, random);
    check_dividing(tally, random);
    check_frontier(tally, random);
    check_search(tally, random);
    check_sweeps(tally, random);
    check_growing(tally, random);
    check_classics(tally, random);
    check_damage(tally, random);
    check_bounds(tally, random, 500);
    check_parts(tally, random);
    check_parts_source(tally, random);
  } while (!is_over());
  return tally.report() ? 0 : 1;
}
