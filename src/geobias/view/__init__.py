"""`geobias view`: read replies and check how they were read, in a browser on this machine.

    run_list      the runs named on the command line; no others can be opened
    index         columns and words of each run's trials, in memory
    trial         a single trial: what was asked, answered and read
    browsing      pages to look around: runs, lists, trials, the report
    checking      samples, and verdicts given, withdrawn and summed up
    guard         who may ask: Host, Origin and token; headers on every answer
    viewer        what the pages share
    app           addresses, the server on 127.0.0.1, and the browser

Probes describe their trials. Every request opens run files for reading and closes them, so that a
run that is being written is not disturbed. Only verdicts are written, by
`geobias.runfile.save_verdict`.
"""
