"""`python -m intemi` is the command `intemi`."""

from intemi.cli import main

if __name__ == "__main__":
    main()
