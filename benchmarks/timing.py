"""How long a call takes."""

import statistics
import time


def median_time(function, repeats=3):
    """Return the median wall time of a call, and its last answer."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        answer = function()
        times.append(time.perf_counter() - start)
    return statistics.median(times), answer
