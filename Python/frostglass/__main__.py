"""`python -m frostglass` is the command, where it is installed."""
import os
import shutil
import sys


def main():
    command = shutil.which("frostglass")
    if command is None:
        print("frostglass: the command is not installed; this package is its library for Python",
              file=sys.stderr)
        return 69
    os.execv(command, ["frostglass", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
