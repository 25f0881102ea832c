"""`python -m tablectl`: the same command as the console script."""

if __name__ == "__main__":
    from tablectl.cli import main

    main()
