"""From run files to what people read: findings, tables, pages, comparisons, gates."""
