"""`geobias view`: read what the model said, and check the reading, in a browser on this machine.

    shelf        the runs that were named, and nothing else
    index        a search index beside each run, in the user's cache
    rows         one line of a list for each trial
    trial        the whole of a trial: what was asked, said and read
    pairs        trials that two runs share, and how they differ
    sides        one trial in two runs
    samples      what a reviewer is shown next
    checking     verdicts given, taken back and summed up
    guard        who may ask: Host, Origin and token; headers on every answer
    app          addresses and pages
    server       binds to 127.0.0.1 and opens the browser

Probes say what their trials look like; packages may add pages (`viewer.PAGES`).
Run files are opened for reading and closed again with every request, so that an engine that writes
one is not disturbed; only verdicts are written, by `geobias.runfile.save_verdict`.
"""
