"""`python -m frostglass in.jpg out.jpg --sigma 5` blurs a file."""
import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
