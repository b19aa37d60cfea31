"""`python -m geobias`."""

from geobias.cli import main

if __name__ == "__main__":
    main()
