// interruptible.hpp: long work that Ctrl-C can stop and that reports its progress.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "treewright/parallel.hpp"

namespace treewright::bind {

namespace nb = nanobind;

// Runs work(control) without the interpreter lock. Large work runs in a thread of its own, while
// this thread checks for signals and calls progress(share done) ten times a second. A signal, or an
// exception of progress, stops the work and is raised once the work has ended.
template <class Work>
void run_interruptible(bool large, const nb::object& progress, Control& control, const Work& work) {
  if (!large) {
    nb::gil_scoped_release unlocked;
    work();
    return;
  }
  std::exception_ptr error;
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::exception_ptr python_error;
  {
    nb::gil_scoped_release unlocked;
    const auto run = [&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      std::lock_guard lock(mutex);
      done = true;
      finished.notify_one();
    };
    std::thread worker;
    try {
      worker = start_thread(run);
    } catch (const std::system_error&) {
      run();  // the system refuses a thread: work here, without checking for signals
    }
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
      lock.unlock();
      {
        nb::gil_scoped_acquire locked;
        try {
          if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
          }
          const auto total = control.rows_total.load();
          if (!progress.is_none() && total > 0) {
            progress(static_cast<double>(control.rows_done.load()) / static_cast<double>(total));
          }
        } catch (...) {
          python_error = std::current_exception();
          control.stop = true;
        }
      }
      lock.lock();
      if (python_error) {
        finished.wait(lock, [&] { return done; });
        break;
      }
    }
    lock.unlock();
    if (worker.joinable()) {
      worker.join();
    }
  }
  if (python_error) {
    std::rethrow_exception(python_error);
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace treewright::bind
