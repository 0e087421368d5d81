"""The executable that was installed beside this Python."""

import os
import sys
from pathlib import Path

_NAME = "treewright.exe" if os.name == "nt" else "treewright"
EXECUTABLE = Path(sys.executable).parent / _NAME
