"""Folders, pipes, permissions, files that change, standard input, bombs, limits."""

import gzip
import io
import os
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from treewright.files import csv_layout, memory
from treewright.files.memory import memory_for_use, needed_memory, read_limit
from treewright.files.opened import OpenedFile

SMALL = b"a,b\n1,x\n2,y\n"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(tw.TableError, match="is a folder"):
        tw.read(tmp_path)


def test_a_file_that_is_not_there_is_refused_with_a_near_one(tmp_path):
    (tmp_path / "loans.csv").write_bytes(SMALL)
    with pytest.raises(tw.TableError, match=r"Did you mean 'loans\.csv'"):
        tw.read(tmp_path / "loans.cvs")
    with pytest.raises(tw.TableError, match="There is no folder"):
        tw.read(tmp_path / "absent" / "loans.csv")


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "secret.csv"
    path.write_bytes(SMALL)
    path.chmod(0)
    if os.access(path, os.R_OK):
        # The superuser may read everything, so the system's refusal is imitated.
        def refuse(*_):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("treewright.files.opened.open", refuse, raising=False)
    with pytest.raises(tw.TableError, match="Permission denied"):
        tw.read(path)


@pytest.mark.posix
def test_a_pipe_is_read_to_its_end(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(SMALL,))
    writer.start()
    table = tw.read(path)
    writer.join()
    assert table.columns[0].values.tolist() == [1, 2]


def test_standard_input_is_read(tmp_path):
    code = "import treewright as tw; print(tw.read('-').n_rows)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=SMALL, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"2"


def test_packed_standard_input_is_read(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(SMALL))

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert tw.read("-").n_rows == 2


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(SMALL * 10)
    opened = OpenedFile(path)
    blocks = opened.blocks(8)
    next(blocks)
    with path.open("ab") as file:
        file.write(b"3,z\n")
    with pytest.raises(tw.TableError, match="changed while it was being read"):
        list(blocks)


def test_a_file_that_grows_between_two_passes_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    path.write_bytes(SMALL)
    from treewright.files import csv_file

    careful, fast = csv_file.careful_rows, csv_file.fast_rows

    def growing(*arguments, **options):
        with path.open("ab") as file:
            file.write(b"3,z\n")
        return fast(*arguments, **options)

    monkeypatch.setattr(csv_file, "fast_rows", growing)
    assert careful is csv_file.careful_rows
    with pytest.raises(tw.TableError, match="changed while it was being read"):
        tw.read(path)


@pytest.mark.parametrize("n_blocks", [1, 400])
def test_a_bomb_is_stopped_at_the_limit(tmp_path, n_blocks):
    path = tmp_path / "x.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(n_blocks):
            file.write(b"1,x\n" * 250_000)
    if n_blocks == 1:
        assert tw.read(path, memory_limit="100MB").n_rows == 250_000
        return
    with pytest.raises(tw.ResourceLimitError):
        tw.read(path, memory_limit="100MB")
    # The size that a packed file states can lie: the limit holds while it is unpacked.
    opened = OpenedFile(path, 5_000_000)
    with pytest.raises(tw.ResourceLimitError, match="more than 5 MB"):
        list(opened.blocks())


def test_the_limit_is_read_from_text_and_numbers():
    assert read_limit(1000) == 1000
    assert read_limit("2GB") == 2 << 30
    assert read_limit(" 1.5 MiB ") == 3 << 19
    assert 0 < read_limit() <= memory_for_use()
    for bad in ("lots", "-1", "0", "5 apples"):
        with pytest.raises(tw.OptionError, match="memory_limit must be"):
            read_limit(bad)


def test_a_control_group_limits_the_memory(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    real = memory._of_groups
    monkeypatch.setattr(memory, "_of_groups", lambda: real(str(tmp_path)))
    assert memory.memory_for_use() == 2_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.memory_for_use() > 2_000_000


@pytest.mark.posix
def test_a_limit_of_the_process_counts(monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (5_000 * 1024, -1))
    monkeypatch.setattr(memory, "_read", lambda _: "VmSize:    1000 kB\n")
    assert memory.memory_for_use() == 4_000 * 1024
    monkeypatch.setattr(memory, "_read", lambda _: "VmSize:    9000 kB\n")
    assert memory.memory_for_use() == 1
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert memory.memory_for_use() > 5_000 * 1024


def test_where_the_system_tells_less_the_memory_of_the_machine_counts(monkeypatch):
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}
    monkeypatch.setattr(memory, "_read", lambda _: "")
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    assert memory.memory_for_use() == 4_096_000
    monkeypatch.delattr(os, "sysconf")
    assert memory.memory_for_use() == sys.maxsize


def test_a_packed_file_of_a_format_that_jumps_about_is_read(tmp_path):
    path = tmp_path / "loans.parquet.gz"
    stored = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), stored)
    path.write_bytes(gzip.compress(stored.getvalue()))
    assert tw.read(path).columns[0].values.tolist() == [1, 2]


def test_a_file_without_line_ends_is_no_delimited_text(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_layout, "_SAMPLE", 1 << 10)
    monkeypatch.setattr(csv_layout, "_LONGEST_START", 1 << 20)
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b," * 300_000)
    with pytest.raises(tw.TableError) as caught:
        tw.read(path)
    assert str(caught.value) == (
        f"The first lines of {path} are longer than 1 MB, so this is no file of "
        "delimited text. Check that it has line ends."
    )


def test_the_estimate_knows_rows_and_columns_before_reading(tmp_path):
    path = tmp_path / "x.csv"
    rng = np.random.default_rng(0)
    rows = rng.integers(100, 999, (50_000, 4))
    np.savetxt(path, rows, "%d", ",", header="a,b,c,d", comments="")
    needed = needed_memory(OpenedFile(path), "csv")
    assert needed.n_columns == 4
    assert abs(needed.n_rows - 50_000) < 500
    with pytest.raises(tw.ResourceLimitError) as caught:
        tw.read(path, memory_limit=1_000_000)
    message = str(caught.value)
    assert "rows would fit" in message
    assert "of its 4 columns" in message
    with pytest.raises(tw.ResourceLimitError, match="growing a tree"):
        needed.check(5_000_000, n_trees=10)


@pytest.mark.parametrize(
    "extra", [("pyarrow", "io"), ("python_calamine", "io"), ("duckdb", "sql")]
)
def test_an_absent_package_gives_the_command_that_installs_it(extra, monkeypatch):
    from treewright.files.optional import package

    name, wanted = extra
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tw.TreewrightError) as caught:
        package(name, "Reading files")
    assert f"pip install 'treewright[{wanted}]'" in str(caught.value)
