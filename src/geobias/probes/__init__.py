"""The benchmarks, a folder each: trials, reading of replies, scoring."""
