// core_check: the kernels on random tables, without Python.
//
// Meant to run under a sanitizer (make sanitize, make sanitize-thread). What the trees
// should be is decided by the Python tests; here it matters that every path runs
// cleanly and that the number of threads changes nothing.
//
//     core_check [--seconds S] [--seed N]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.hpp"

namespace treewright::testing {

void Tally::expect(bool held, const std::string& claim) {
  ++(held ? passed_ : failed_);
  if (!held && failed_ <= 10) {
    std::fprintf(stderr, "FAILED: %s\n", claim.c_str());
  }
}

bool Tally::report() const {
  std::printf("core_check: %lld passed, %lld failed\n", static_cast<long long>(passed_),
              static_cast<long long>(failed_));
  return failed_ == 0 && passed_ > 0;
}

}  // namespace treewright::testing

int main(int argc, char** argv) {
  using namespace treewright::testing;
  double seconds = 20.0;
  uint64_t seed = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) {
      seconds = std::atof(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else {
      std::fprintf(stderr, "unknown option %s; known: --seconds S, --seed N\n", argv[i]);
      return 2;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  // At least one round; round i uses seed + i, so a failure can be repeated.
  do {
    Random random(seed++);
    check_team(tally, random);
    check_sorting(tally, random);
    check_dividing(tally, random);
    check_frontier(tally, random);
    check_search(tally, random);
    check_growing(tally, random);
    check_classics(tally, random);
    check_damage(tally, random);
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
           seconds);
  return tally.report() ? 0 : 1;
}
