"""`geobias view`: reading replies and checking their readings, in a browser on this machine.

    run_list      the runs that were named, and nothing else
    index         columns and words of each run's trials, in memory
    trial         a single trial: what was asked, answered and read
    browsing      pages to look around: runs, lists, trials, the report
    checking      samples, and verdicts given, withdrawn and summed up
    guard         who may ask: Host, Origin and token; headers on every answer
    viewer        what the pages share
    app           addresses, the server on 127.0.0.1, and the browser

Probes describe their trials. Run files are opened for reading and closed with every request, so
that an engine that writes one is not disturbed. Only verdicts are written, by
`geobias.runfile.save_verdict`.
"""
