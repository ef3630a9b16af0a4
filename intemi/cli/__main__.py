"""`python -m intemi.cli` is the command, where it is not installed under its name."""

from intemi.cli.main import main

if __name__ == "__main__":
    main()
