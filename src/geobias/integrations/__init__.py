"""Engines of others that drive the same trials. Optional extras: nothing else imports them."""
