"""A skip that nobody has listed fails the run."""

import pytest

from conftest import is_allowed

pytest_plugins = ["pytester"]


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_skip_that_is_not_listed_fails_the_run(pytester, request, arguments):
    tests = request.config.rootpath / "tests"
    pytester.makeconftest((tests / "conftest.py").read_text())
    pytester.makepyprojecttoml(f"[tool.pytest.ini_options]\npythonpath = ['{tests}']")
    allowed = (tests / "allowed_skips.toml").read_text()
    (pytester.path / "allowed_skips.toml").write_text(allowed)
    pytester.makepyfile("import pytest\ndef test_it():\n    pytest.skip('no reason')\n")
    done = pytester.runpytest_subprocess(*arguments)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["*does not name*", "*test_it: no reason*"])


def test_a_listed_skip_is_allowed_with_its_own_message_only():
    test = "tests/drawing/test_dot_mermaid.py::test_dot_is_read_by_graphviz[seed]"
    assert is_allowed(test, "NOT TESTED: graphviz is not installed (apt install ...)")
    assert not is_allowed(test, "too slow today")
    assert not is_allowed("tests/tree/test_data.py::test_it", "NOT TESTED: no browser")
