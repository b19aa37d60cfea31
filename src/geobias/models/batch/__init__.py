"""Ask in batches: at a provider, within a day for half the price, or through files."""
