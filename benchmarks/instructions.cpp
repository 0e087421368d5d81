// How many instructions a fit takes, for a processor that is only emulated.
//
//     instructions ROWS CRITERION FITS     criterion: gini, entropy, squared_error or ten_classes
//
// Sorts a table of 10 columns once and grows FITS trees of depth 10. The difference between one fit
// and none is the fit. `make count-aarch64` counts both, with vector instructions and without.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "treewright/grow.hpp"

using namespace treewright;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s ROWS CRITERION FITS\n", argv[0]);
    return 2;
  }
  const auto n = static_cast<size_t>(std::atoll(argv[1]));
  const std::string criterion = argv[2];
  constexpr size_t kColumns = 10;
  std::mt19937_64 random(1);
  const auto number = [&] { return static_cast<float>(random() >> 40); };  // below 2^24: exact

  std::vector<std::vector<float>> columns(kColumns, std::vector<float>(n));
  std::vector<ColumnView> views(kColumns);
  for (size_t c = 0; c < kColumns; ++c) {
    for (float& value : columns[c]) {
      value = number();
    }
    views[c] = {reinterpret_cast<const std::byte*>(columns[c].data()), sizeof(float),
                Storage::float32, Kind::numeric};
  }
  const int32_t n_classes = criterion == "ten_classes" ? 10 : 2;
  std::vector<double> values(n);
  std::vector<int32_t> labels(n);
  for (size_t i = 0; i < n; ++i) {
    values[i] = (double(columns[0][i]) + 0.5 * double(columns[1][i]) + double(number())) / 0x1p24;
    labels[i] = static_cast<int32_t>(values[i] / 2.5 * n_classes);
  }

  Target target;
  GrowOptions options;
  options.max_depth = 10;
  if (criterion == "squared_error") {
    options.criterion = Criterion::squared_error;
    target.task = Task::number;
    target.values = values.data();
  } else {
    options.criterion = criterion == "entropy" ? Criterion::entropy : Criterion::gini;
    target.n_classes = n_classes;
    target.labels = labels.data();
  }
  Control control;
  const SortedTable table = sort_table(views, static_cast<int64_t>(n), 1, control);
  for (int fit = 0; fit < std::atoi(argv[3]); ++fit) {
    const auto grower = make_grower(table, target, nullptr, options, control);
    grower->grow_all();
    std::printf("%lld nodes\n", static_cast<long long>(grower->n_nodes()));
  }
}
