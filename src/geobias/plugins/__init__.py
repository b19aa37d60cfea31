"""Commands that belong to one probe, registered by entry points.

    geobias.commands         play = "…:play"                    geobias play
    geobias.probe_commands   "worldbench.years" = "…:years"     geobias worldbench years

Any installed package can add commands in the same way.
"""
