"""Commands that belong to Geo20Q+: they stand above the probe, beside the command line."""
