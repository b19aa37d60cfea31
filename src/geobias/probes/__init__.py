"""The benchmarks, a folder each: its trials, how replies are read, how they are scored."""
