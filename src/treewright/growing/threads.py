"""How many threads `n_jobs` stands for."""

import os
import sys

from treewright.options.grow_options import N_JOBS

__all__ = ["n_threads"]

_MAX_THREADS = 256


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None is all cores that this process may use; inside a joblib worker it is one,
    because the other workers already use the rest. -1 is all cores, -2 all but one,
    and so on. Anything else is refused with an OptionError.
    """
    if type(n_jobs) is int and n_jobs > 0:
        # Skip the check: it takes as long as predicting one row.
        return min(n_jobs, _MAX_THREADS)
    n_jobs = N_JOBS.checked("n_jobs", n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    cores = cores or os.cpu_count() or 1
    if n_jobs is None:
        return 1 if _in_joblib_worker() else cores
    return min(n_jobs, _MAX_THREADS) if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def _in_joblib_worker() -> bool:
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return False
    backend, _ = joblib.parallel.get_active_backend()
    return bool(backend.nesting_level)
