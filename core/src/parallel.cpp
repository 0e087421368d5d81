#include "treewright/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace treewright {
namespace {

// The system may wake a sleeping thread on the processor of the thread that wakes it. The two then
// share one processor for many milliseconds while another is idle (seen on virtual machines). Most
// waits here are shorter than kAwake, so a thread first spins, yielding to other threads. The
// limit was not tuned.
constexpr std::chrono::milliseconds kAwake{2};

template <class Condition>
void stay_awake_until(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + kAwake;
  while (!condition() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
}

}  // namespace

std::thread start_thread(std::function<void()> work) {
  // Larger than the blocks that a thread keeps after freeing them, and far more than is needed.
  constexpr size_t reserve_bytes = 1 << 14;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> reserve(std::malloc(reserve_bytes));
  if (!reserve) {
    throw std::bad_alloc();
  }
  std::promise<void> is_ready;
  const auto ready = is_ready.get_future();
  std::thread thread([is_ready = std::move(is_ready), reserve = std::move(reserve),
                      work = std::move(work)]() mutable {
    reserve.reset();
    try {
      throw Interrupted();  // the first exception allocates the thread's exception state
    } catch (const Interrupted&) {
    }
    is_ready.set_value();
    work();
  });
  stay_awake_until(
      [&] { return ready.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  ready.wait();
  return thread;
}

Team::Team(int n_threads, const Control& control) : control_(control) {
  threads_.reserve(static_cast<size_t>(std::max(n_threads - 1, 0)));
  try {
    for (int worker = 1; worker < n_threads; ++worker) {
      threads_.push_back(start_thread([this, worker] { serve(worker); }));
    }
  } catch (const std::system_error&) {
    // The system refuses further threads: those that have started do the work.
  } catch (const std::bad_alloc&) {
    // There is no memory for another thread: the same.
  }
}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) {
    thread.join();
  }
}

void Team::run(size_t count, const std::function<void(size_t, int)>& task) {
  control_.check();
  if (threads_.empty() || count < 2) {
    for (size_t i = 0; i < count; ++i) {
      control_.check();
      task(i, 0);
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    error_ = nullptr;
    busy_ = static_cast<int>(threads_.size());
    ++generation_;
  }
  wake_.notify_all();
  work(0);
  const auto is_done = [this] { return busy_ == 0; };
  stay_awake_until(is_done);
  std::unique_lock lock(mutex_);
  done_.wait(lock, is_done);
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void Team::serve(int worker) {
  size_t seen = 0;
  const auto is_called = [&] { return closing_ || generation_ != seen; };
  while (true) {
    stay_awake_until(is_called);
    std::unique_lock lock(mutex_);
    wake_.wait(lock, is_called);
    if (closing_) {
      return;
    }
    seen = generation_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) {
      done_.notify_one();
    }
  }
}

void Team::work(int worker) {
  try {
    for (size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
      control_.check();
      (*task_)(i, worker);
    }
  } catch (...) {
    next_.store(count_, std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    if (!error_) {
      error_ = std::current_exception();
    }
  }
}

}  // namespace treewright
