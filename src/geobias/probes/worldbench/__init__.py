"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""
