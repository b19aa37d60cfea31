"""Foreign engines that drive the same trials.

They are optional extras, which nothing else imports.
"""
