"""The executable that was installed beside this Python."""

import sys
from pathlib import Path

EXECUTABLE = Path(sys.executable).parent / "treewright"
