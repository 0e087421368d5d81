#include "treewright/parallel.hpp"

#include <system_error>

namespace treewright {

Team::Team(int n_threads, const Control& control) : control_(control) {
  try {
    for (int worker = 1; worker < n_threads; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that started do the work.
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
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void Team::serve(int worker) {
  size_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || generation_ != seen; });
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
