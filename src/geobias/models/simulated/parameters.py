"""What a simulated model is like: `sim/fair`, `sim/biased`, or `sim/?name=value&…`.

The names are those that probes declare (`Probe.Simulated`), with those that all models have.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

import msgspec

from geobias.errors import BadRequest, meant
from geobias.probes.registry import all_probes
from geobias.probes.simulation import SimulatedParameters, group_members
from geobias.untrusted import usable

PRESETS = ("fair", "biased")


def parse(spec: str) -> dict[str, SimulatedParameters]:
    """Probe → what the model is like there, for `sim/PRESET?name=value&…`.

    Raises BadRequest naming what is wrong.
    """
    preset, _, query = spec.removeprefix("sim/").partition("?")
    if preset not in PRESETS and preset:
        raise BadRequest(
            f"no simulated model {spec!r}; there is sim/fair, sim/biased and sim/?name=value&…."
            + meant(preset, PRESETS, before="sim/")
        )
    kinds = {name: one.Simulated for name, one in all_probes().items() if one.Simulated}
    every: list[type[SimulatedParameters]] = [*kinds.values(), SimulatedParameters]
    known = dict.fromkeys(name for kind in every for name in kind.__struct_fields__)
    given = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := given.keys() - known.keys():
        like = meant(min(unknown), known)
        raise BadRequest(
            f"{spec!r}: no parameter {min(unknown)!r}; there is {', '.join(known)}.{like}"
        )
    parameters = {}
    for name, kind in kinds.items():
        values = (kind.biased if preset == "biased" else {}) | given
        own = {key: value for key, value in values.items() if key in kind.__struct_fields__}
        try:
            made = parameters[name] = msgspec.convert(own, kind, strict=False)
        except msgspec.ValidationError as error:
            raise BadRequest(f"{spec!r}: {_in_words(kind, error)}") from None
        for key, value in msgspec.structs.asdict(made).items():
            if isinstance(value, int | float):
                usable(value, key)
        group_members(made.against)
    return parameters


def _in_words(kind: type[SimulatedParameters], error: msgspec.ValidationError) -> str:
    """What is wrong with a parameter: its limits, where it has some."""
    info = msgspec.inspect.type_info(kind)
    for field in info.fields if isinstance(info, msgspec.inspect.StructType) else ():
        least, most = (getattr(field.type, end, None) for end in ("ge", "le"))
        if str(error).endswith(f"`$.{field.name}`") and None not in (least, most):
            return f"{field.name} lies between {least:g} and {most:g}"
    return str(error)
