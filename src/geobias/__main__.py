"""`geobias` and `python -m geobias`."""

import sys


def main() -> None:
    """The command line. Ctrl-C while it is being loaded is a word too, and no traceback."""
    try:
        from geobias.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("geobias: stopped\n")
        sys.exit(3)
    run()


if __name__ == "__main__":
    main()
