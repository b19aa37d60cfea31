"""`geobias view`: read replies and check how they were read, in a browser on this machine.

Probes describe their trials. Every request opens run files for reading and closes them, so that a
run that is being written is not disturbed. Only verdicts are written, by
`geobias.runfile.save_verdict`.
"""
