"""How long a call takes, in memory that the machine really has.

A virtual machine may hand free memory back to its host. Whoever asks for it next waits
while the host finds it again: from 1 to 10 s for each GB where these figures were
taken, ten to a hundred times as long as memory that stayed. That would be charged to
whichever library comes after a pause. So before every timed call, of whatever library,
a block of memory is touched and let go; where memory stays, that takes a tenth of a
second.

The block is no larger than it must be: two seconds later the machine hands back what
nobody has taken, and whoever runs then pays for that, too.
"""

import gc
import mmap
import statistics
import time

READY_BYTES = 1 << 29  # about what the largest of the timed calls needs


def ready_memory():
    """Touch memory and let it go, so that the next call finds it at once."""
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    with mmap.mmap(-1, READY_BYTES, flags=private) as block:
        block.madvise(mmap.MADV_HUGEPAGE)  # or it would come back in small pieces
        for page in range(0, READY_BYTES, mmap.PAGESIZE):
            block[page] = 1


def stopwatch(function):
    """Return the seconds one call takes and its answer."""
    gc.collect()
    ready_memory()
    start = time.perf_counter()
    answer = function()
    return time.perf_counter() - start, answer


def median_time(function, repeats=3):
    """Return the median wall time of a call, and its last answer."""
    times = []
    for _ in range(repeats):
        seconds, answer = stopwatch(function)
        times.append(seconds)
    return statistics.median(times), answer


def processor_time(function, repeats=3):
    """Return the least processor time of a call, and its last answer.

    It is the figure to take on a machine that other programs use too.
    """
    least = float("inf")
    for _ in range(repeats):
        gc.collect()
        ready_memory()
        start = time.process_time()
        answer = function()
        least = min(least, time.process_time() - start)
    return least, answer
