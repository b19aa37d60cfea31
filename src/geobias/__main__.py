"""`geobias` and `python -m geobias`."""

import sys


def main() -> None:
    """Run the command line.

    Ctrl-C while it is being imported prints a sentence, not a traceback.
    """
    try:
        from geobias.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("geobias: stopped\n")
        sys.exit(3)
    run()


if __name__ == "__main__":
    main()
