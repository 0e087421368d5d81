"""How the time of a call grows with the size of its input."""

import time


def slowdown(call, small, large, repeats=3):
    """Return how many times as long `call(large)` takes as `call(small)`.

    Processor time, the two take turns, the smallest of the repeats: what other
    programs do meanwhile does not count.
    """

    def seconds(argument):
        started = time.process_time()
        call(argument)
        return time.process_time() - started

    times = [(seconds(small), seconds(large)) for _ in range(repeats)]
    first, second = (min(column) for column in zip(*times, strict=True))
    return second / first
