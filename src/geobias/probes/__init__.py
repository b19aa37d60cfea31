"""The benchmarks. The folder of each has its trials, the reading of its replies and its scores."""
