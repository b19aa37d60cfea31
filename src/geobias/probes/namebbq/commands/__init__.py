"""What `geobias namebbq` has beside its tables of runs."""
