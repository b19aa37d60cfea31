"""Name-BBQ: what a model assumes about people of a nationality, named or hinted at by a name."""
