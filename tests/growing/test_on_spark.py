"""Jobs of Spark that end without an answer, on a frame that needs no Spark."""

import time
from types import SimpleNamespace

import pytest

from treewright.errors import ClusterError
from treewright.growing.parts.on_spark import Spark


def frame(collect):
    """Return a frame whose jobs call a function, and the tags of jobs that it stops."""
    stopped = []
    session = SimpleNamespace(addTag=lambda tag: None, interruptTag=stopped.append)
    made = SimpleNamespace(collect=collect, sparkSession=session)
    made.mapInArrow = lambda function, schema: made
    return made, stopped


def test_a_timeout_within_a_job_is_not_told_as_silence():
    def collect():
        raise TimeoutError("the metastore took too long")

    made, stopped = frame(collect)
    with pytest.raises(TimeoutError, match="the metastore took too long"):
        Spark(made, timeout=60)
    assert stopped == []


def test_a_job_that_stays_silent_is_stopped():
    made, stopped = frame(lambda: time.sleep(2))
    with pytest.raises(ClusterError, match=r"Spark gave no answer in 0\.2 s"):
        Spark(made, timeout=0.2)
    assert len(stopped) == 1
