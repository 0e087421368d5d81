// parallel.hpp: a small team of threads that lives for one call.
//
// Nothing survives the call, so a fork afterwards is safe, and no OpenMP runtime is
// involved. Work is handed out by a shared counter; results must never depend on
// which thread took what.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace treewright {

// Thrown inside the kernels when the caller asked to stop (Ctrl-C).
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Shared between the caller, who may ask to stop and looks at progress, and the team.
struct Control {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> rows_done{0};  // rows that have reached their leaf
  std::atomic<int64_t> rows_total{0};

  void check() const {
    if (stop.load(std::memory_order_relaxed)) {
      throw Interrupted();
    }
  }
};

// Below this many entries (rows x columns) threads cost more than they save: waking one takes 10 to
// 50 us, and a core divides and searches about 1e9 entries per second. The limit follows from these
// two figures; it was not tuned.
constexpr int64_t kParallelWork = 100'000;

// The number of threads that pay for a table; creating a team takes longer than waking it.
inline int threads_worth_it(int64_t n_rows, size_t n_columns, int n_threads) {
  return n_rows * static_cast<int64_t>(n_columns) >= 4 * kParallelWork ? n_threads : 1;
}

// Starts a thread that can throw even if no memory is left. The C library allocates the exception
// state of a thread at its first throw and ends the process if that fails. Here the thread throws
// once at its start, from memory set aside before, and start_thread returns when that is done.
// Throws system_error if the system refuses a thread.
std::thread start_thread(std::function<void()> work);

class Team {
 public:
  Team(int n_threads, const Control& control);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // task(i, worker) for every i in [0, count); the calling thread is worker 0. The
  // first exception of any task ends the run and is thrown again here.
  void run(size_t count, const std::function<void(size_t, int)>& task);

 private:
  void serve(int worker);
  void work(int worker);

  const Control& control_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(size_t, int)>* task_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<size_t> generation_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> closing_{false};
  std::exception_ptr error_;
};

}  // namespace treewright
