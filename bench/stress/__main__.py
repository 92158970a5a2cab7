"""The command `python -m bench.stress`."""

from bench.stress.run import main

if __name__ == "__main__":
    main()
