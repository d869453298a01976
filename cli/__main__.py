"""`python -m cli` is the `overlake` command."""

from cli.main import main

if __name__ == "__main__":
    main()
