"""`geobias view`: read what the model said, and check the reading, in a browser on this machine.

    run_list      the runs that were named, and nothing else
    index         columns and words of each run's trials, in memory
    trial         the whole of a trial: what was asked, said and read
    browsing      pages to look around: runs, lists, trials, the report
    checking      samples, verdicts given, taken back and summed up
    guard         who may ask: Host, Origin and token; headers on every answer
    viewer        what the pages share
    app           addresses, the server on 127.0.0.1, and the browser

Probes say what their trials look like.
Run files are opened for reading and closed again with every request, so that an engine that writes
one is not disturbed; only verdicts are written, by `geobias.runfile.save_verdict`.
"""
