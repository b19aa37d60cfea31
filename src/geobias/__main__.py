"""Entry point of `geobias` and `python -m geobias`."""

import sys


def main() -> None:
    """Run the command line.

    Ctrl-C during the imports prints a sentence instead of a traceback.
    """
    try:
        from geobias.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("geobias: stopped\n")
        sys.exit(3)
    run()


if __name__ == "__main__":
    main()
