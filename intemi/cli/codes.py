"""What the exit codes of the command mean."""

DONE = 0
FAILED = 1
"""Something that was run failed, or a check did not pass."""
WRONG = 2
"""The command line or the experiment file is wrong."""
UNUSABLE = 3
"""A folder, a file or the network cannot be used."""
INTERRUPTED = 130
