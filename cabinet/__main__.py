"""``python -m cabinet`` is ``spit-cabinet``."""

from cabinet.cli import main

if __name__ == "__main__":
    main()
