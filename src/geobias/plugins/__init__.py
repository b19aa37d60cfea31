"""Commands that belong to one probe: the highest room, found by entry points.

    geobias.commands         play = "…:play"                    geobias play
    geobias.probe_commands   "worldbench.years" = "…:years"     geobias worldbench years

Any installed package can add some in the same way.
"""
