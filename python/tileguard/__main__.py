"""`python -m tileguard` is the `tileguard` command."""

from tileguard.cli import main

main()
