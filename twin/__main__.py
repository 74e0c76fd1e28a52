"""`python -m twin`: see `twin.command`."""

import sys

from twin.command import main_args

if __name__ == "__main__":
    sys.exit(main_args(sys.argv[1:]))
