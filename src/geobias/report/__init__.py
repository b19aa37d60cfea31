"""From run files to results for people: findings, tables, pages, comparisons, gates."""
