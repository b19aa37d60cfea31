"""The benchmarks: one folder each, with its trials, the reading of replies and the scoring."""
