"""``python -m treewright``: the command line."""

import sys

from treewright.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
