"""`python -m waypost`."""

from waypost.faces.cli.entry import main

if __name__ == "__main__":
    main()
