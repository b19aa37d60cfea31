"""The benchmarks: each folder holds the trials of one, the reading of its replies and its scoring."""
