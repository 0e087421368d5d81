"""PostgreSQL and MariaDB, started for the tests on a socket in a temporary folder.

The servers come from Debian's packages (`make databases`). Neither runs as root, so if
the tests run as root, each server runs as the user that its package created.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


def _program(*patterns):
    for pattern in patterns:
        found = shutil.which(pattern) or next(
            (str(p) for p in sorted(Path("/").glob(pattern.lstrip("/")))), None
        )
        if found:
            return found
    return None


def _runs_as(user):
    """Return the options of subprocess that run a command as a user, if we are root."""
    is_root = os.geteuid() == 0
    return {"user": user, "group": user, "extra_groups": []} if is_root else {}


def _give(folder, user):
    """Let the user of a server own a folder, if we are root."""
    if os.geteuid() == 0:
        shutil.chown(folder, user)


def _as(user, *command):
    return subprocess.run(command, check=True, capture_output=True, **_runs_as(user))


class InMemory:
    """A database that needs no server."""

    def __init__(self, open_):
        self.connect = lambda: open_().connection

    def stop(self):
        pass


class Postgres:
    """A cluster of its own, without a port."""

    def __init__(self):
        initdb = _program("initdb", "/usr/lib/postgresql/*/bin/initdb")
        if initdb is None:
            pytest.skip(
                "NO DATABASE: PostgreSQL is not installed; run 'make databases'."
            )
        self._bin = Path(initdb).parent
        self.folder = Path(tempfile.mkdtemp(prefix="tw-pg-", dir="/tmp"))
        _give(self.folder, "postgres")
        _as(
            "postgres",
            initdb,
            "-D",
            f"{self.folder}/data",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--no-sync",
            "--locale=C.UTF-8",
        )
        # Without jit, as the exports of large trees advise.
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c jit=off"
        _as(
            "postgres",
            str(self._bin / "pg_ctl"),
            "-D",
            f"{self.folder}/data",
            "-o",
            options,
            "-l",
            f"{self.folder}/log",
            "-w",
            "start",
        )

    def connect(self):
        import psycopg

        return psycopg.connect(
            host=str(self.folder),
            user="postgres",
            dbname="postgres",
            autocommit=True,
            prepare_threshold=None,
        )

    def stop(self):
        _as(
            "postgres",
            str(self._bin / "pg_ctl"),
            "-D",
            f"{self.folder}/data",
            "-m",
            "immediate",
            "stop",
        )
        shutil.rmtree(self.folder, ignore_errors=True)


class MariaDB:
    """A server of its own, without a port."""

    def __init__(self):
        server, install = _program("mariadbd", "mysqld"), _program("mariadb-install-db")
        if server is None or install is None:
            pytest.skip("NO DATABASE: MariaDB is not installed; run 'make databases'.")
        self.folder = Path(tempfile.mkdtemp(prefix="tw-my-", dir="/tmp"))
        self.folder.chmod(0o755)
        _give(self.folder, "mysql")
        data, self.socket = f"{self.folder}/data", f"{self.folder}/socket"
        _as(
            "mysql",
            install,
            "--no-defaults",
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        self._process = subprocess.Popen(
            [
                server,
                "--no-defaults",
                f"--datadir={data}",
                f"--socket={self.socket}",
                "--skip-networking",
                f"--pid-file={self.folder}/pid",
                "--max-allowed-packet=256M",
                "--character-set-server=utf8mb4",
                "--thread-stack=16M",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **_runs_as("mysql"),
        )
        for _ in range(300):
            if Path(self.socket).exists():
                return
            time.sleep(0.1)
        raise RuntimeError("MariaDB did not start within 30 s")

    def connect(self):
        import pymysql

        db = pymysql.connect(
            unix_socket=self.socket, user="root", charset="utf8mb4", autocommit=True
        )
        with db.cursor() as cursor:
            cursor.execute("CREATE DATABASE tests")
            cursor.execute("USE tests")
        return db

    def stop(self):
        self._process.terminate()
        self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)
