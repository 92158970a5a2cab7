"""`python -m outperform` is the command."""

from outperform.cli import main

main(prog_name="outperform")
