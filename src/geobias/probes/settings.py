"""Settings, declared once and used as command-line options, arguments and manifest entries.

A probe declares its settings as fields of a struct. Each has a type, a default, and a `Setting`
with the help and the limits::

    class CapitalSettings(Settings, frozen=True, kw_only=True):
        continents: Annotated[tuple[str, ...], Setting("Only these.", bears="items")] = ()

`fields_of` reads such a struct. The command line, Inspect's `-T` arguments and Python's keyword
arguments are all made from its result. Types are str, int, float, bool, Path, a `Literal` of words,
or a tuple of str (given as a list, or as text separated by commas or semicolons). Each may also be
None.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints_of

import msgspec

from geobias.errors import BadRequest, meant, unknown
from geobias.trials import StoredSettings
from geobias.untrusted import usable

Bears = Literal["items", "truth", "wording", "replies", "nothing"]
"""The part of a run that a setting decides. It determines whether runs with different values can be
compared, and whether they can be pooled as runs of several models.

items    which items are asked: runs are compared and pooled on the items that all have
truth    the right answer to an item: runs are never compared or pooled
wording  the words of a question: as `replies`, but runs are never pooled
replies  how the model is asked: the setting is named as a possible cause of different results
nothing  where records are stored, or how a table looks: runs are compared and pooled
"""

TOO_SMALL = "Size quick can find only large gaps. If it finds none, that says little."
SIZES = {
    "quick": f"{TOO_SMALL} --size standard gives intervals worth quoting.",
    "standard": "Size standard: intervals can be quoted for the whole, for regions and incomes. "
    "Single countries are a sample, and a paper's disparities are of size paper.",
    "paper": "Size paper: every question, as many as a paper asked where there is one.",
}
"""A sentence for each size on how far its results can be trusted."""

SMALLEST_GAP = 0.05
"""The smallest gap of interest, as a share of the measure's scale: five answers in a hundred.

Another wording of the questions changes results by as much.
"""


class Setting(NamedTuple):
    """The part of a setting's declaration that the field's type and default do not give.

    help       a sentence for the command line
    bears      what the setting decides (`Bears`)
    metavar    the name of the value in the help
    least      the smallest number allowed
    most       the largest number allowed
    """

    help: str
    bears: Bears = "replies"
    metavar: str = ""
    least: float | None = None
    most: float | None = None


ReadFrom = Annotated[
    Literal["text", "logprobs"],
    Setting(
        "Where an answer is read from: the reply's text, or the log-probabilities of its options, "
        "if the server returns them."
    ),
]
"""A setting of probes whose answers are options of one token (`Question.options`)."""


Unread = Annotated[
    str,
    Setting(
        "What to do with replies that the rules cannot read. restate: ask the same model for "
        "the letter or number alone. MODEL: this model points to the answer. leave: leave "
        "them unread.",
        metavar="restate|MODEL|leave",
    ),
]
"""A setting of probes of single questions."""


class OfOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Further settings of probes whose answers are options.

    A command of several probes applies each setting to all probes that declare it.
    """

    read: ReadFrom = "text"
    unread: Unread = "restate"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all probes share. A probe adds others in a subclass."""

    size: Annotated[
        Literal["quick", "standard", "paper"],
        Setting(
            "quick: minutes. standard: intervals worth quoting. paper: every item of the papers.",
            bears="items",
        ),
    ] = "quick"
    repeats: Annotated[
        int,
        Setting(
            "How often each trial is asked, in independent draws.",
            bears="items",
            least=1,
            most=100_000,
        ),
    ] = 1
    temperature: Annotated[
        float | None, Setting("0 is greedy; default 0, or 0.8 with --repeats.", least=0, most=2)
    ] = None
    seed: Annotated[int, Setting("Another seed gives other draws.")] = 0
    smallest_gap: Annotated[
        float,
        Setting(
            "The smallest gap of interest, as a share of the measure's scale. Larger gaps are "
            "ruled out if the whole interval lies within it.",
            bears="items",
            least=0,
            most=1,
        ),
    ] = SMALLEST_GAP
    system: Annotated[
        str, Setting("A system message before the model's dialogues (not the judge's).")
    ] = ""
    effort: Annotated[
        Literal["low", "medium", "high"] | None,
        Setting("How much a reasoning model should think. Does not apply to the judge."),
    ] = None

    @property
    def sampled_at(self) -> float:
        if self.temperature is None:
            return 0.8 if self.repeats > 1 else 0.0
        if self.repeats > 1 and self.temperature == 0:
            raise BadRequest(
                "--repeats asks for independent draws, and a greedy model (--temperature 0) gives "
                "the same one each time: leave out one of them"
            )
        return self.temperature

    def entries(self, **resolved: Any) -> StoredSettings:
        """The settings for the manifest, with the values in `resolved` in place of the settings'.

        Three kinds of settings are left out: those whose value in `resolved` is `OMITTED`, files
        whose content is recorded under another name, and `paraphrases` if questions have one
        wording.
        """
        found = {
            field.name: resolved.get(field.name, getattr(self, field.name))
            for field in fields_of(type(self))
            if field.setting.bears != "nothing"
        }
        if found.get("paraphrases") == 1:
            del found["paraphrases"]
        if "temperature" in found:
            found["temperature"] = self.sampled_at
        found |= resolved
        return {
            name: _as_json_has_it(value) for name, value in found.items() if value is not OMITTED
        }


def _as_json_has_it(value: Any) -> Any:
    """The value in the form in which a manifest returns it, so that equal settings are equal."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


OMITTED: Any = object()
"""Placeholder value of a setting that the manifest leaves out."""


Paraphrases: TypeAlias = Annotated[
    int,
    Setting(
        "Number of wordings of each question, the default or chosen one first.",
        bears="items",
        metavar="N",
        least=1,
        most=11,
    ),
]
"""The setting of a probe whose questions have several wordings.

The probe's records give the number of the wording (`wording`, 0 for the default), and its measures
name that column.
"""

Wording = TypeVar("Wording")


def wordings_of(wordings: Sequence[Wording], count: int) -> list[tuple[int, Wording]]:
    """The first `count` wordings of a question with their numbers, 0 for the default one."""
    if count > len(wordings):
        raise BadRequest(f"there are only {len(wordings)} wordings: give at most that number")
    return [*enumerate(wordings)][:count]


class Field(NamedTuple):
    name: str
    kind: type
    """The type: str, int, float, bool, Path, or tuple for several words."""
    optional: bool
    default: Any
    choices: tuple[str, ...]
    setting: Setting

    @property
    def option(self) -> str:
        """The name on the command line. In the struct, a Python keyword ends in "_"."""
        return f"--{self.name.rstrip('_').replace('_', '-')}"


def fields_of(declared: Any) -> tuple[Field, ...]:
    return _fields_of(declared)


@lru_cache(maxsize=64)
def _fields_of(declared: type[msgspec.Struct]) -> tuple[Field, ...]:
    hints = hints_of(declared, include_extras=True)
    return tuple(_field(info, hints[info.name]) for info in msgspec.structs.fields(declared))


def _field(info: msgspec.structs.FieldInfo, hint: Any) -> Field:
    setting = Setting("")
    if get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        setting = next(one for one in more if isinstance(one, Setting))
    optional = get_origin(hint) in (Union, types.UnionType)
    if optional:
        [hint] = [one for one in get_args(hint) if one is not type(None)]
    choices: tuple[str, ...] = ()
    if get_origin(hint) is Literal:
        choices, hint = get_args(hint), str
    kind = get_origin(hint) or hint
    return Field(info.name, kind, optional, info.default, choices, setting)


Declared = TypeVar("Declared", bound=msgspec.Struct)


def settings_from(declared: type[Declared], given: Mapping[str, object], whose: str) -> Declared:
    """Make the struct `declared` from values, which may be text (from a command line) or Python's.

    Raises `BadRequest` for an unknown name or an invalid value.
    """
    fields = {field.name: field for field in fields_of(declared)}
    if others := [name for name in given if name not in fields]:
        known = ", ".join(fields)
        like = meant(others[0], fields)
        raise BadRequest(f"{whose} has no option {others[0]!r}; choose from {known}.{like}")
    return declared(**{name: _value(fields[name], value) for name, value in given.items()})


def _value(field: Field, value: Any) -> Any:
    if value is None and (field.optional or field.default in (None, ())):
        return field.default if field.kind is tuple else None
    try:
        made: Any = _converted(field.kind, value)
    except (TypeError, ValueError):
        raise BadRequest(f"{field.name} cannot be {value!r}: {_wanted(field)}") from None
    if field.choices and made not in field.choices:
        raise unknown(field.name.replace("_", " "), str(value), field.choices)
    if field.kind in (int, float):
        usable(made, field.name)
    least, most = field.setting.least, field.setting.most
    if (least is not None and not made >= least) or (most is not None and not made <= most):
        raise BadRequest(f"{field.name} cannot be {value!r}: {_wanted(field)}")
    return made


def _converted(kind: type, value: Any) -> Any:
    """Raises TypeError or ValueError for a value that is not of the type."""
    if kind is tuple:
        texts = isinstance(value, str)
        return parted(value) if texts else tuple(map(str, msgspec.convert(value, list)))
    if kind is Path and "\0" not in str(value):
        return Path(value)
    return msgspec.convert(value, kind, strict=False)


_KINDS: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
    Path: "the path of a file",
}


def _wanted(field: Field) -> str:
    bounds = [
        f"{side} {bound:g}"
        for side, bound in (("at least", field.setting.least), ("at most", field.setting.most))
        if bound is not None
    ]
    return ", ".join([f"it is {_KINDS.get(field.kind, 'text')}", *bounds])


def parted(text: str) -> tuple[str, ...]:
    """Split a user's list at commas, or at semicolons if it has any ("Bahamas, The; Kenya")."""
    found = tuple(part.strip() for part in text.split(";" if ";" in text else ",") if part.strip())
    if not found:
        raise BadRequest(f"{text!r} names nothing: give at least one name")
    return found


def unusual(settings: msgspec.Struct) -> StoredSettings:
    """The settings that differ from their defaults."""
    values = {field: getattr(settings, field.name) for field in fields_of(type(settings))}
    return {
        field.name: _as_json_has_it(value)
        for field, value in values.items()
        if value != field.default
    }


def bearing(fields: Sequence[Field], entry: str) -> Bears:
    """Return the part of a run that a manifest's entry decides (`Bears`); "replies" if no field
    declares it.
    """
    return next((one.setting.bears for one in fields if one.name == entry), "replies")
