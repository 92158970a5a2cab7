"""Messages with placeholders for arguments, which Python, the command line and the web page each name differently.

`invalid("say which is positive with {pos_label}")` reads "… with pos_label" in Python, "… with
--pos-label" on the command line and "… with the field Positive class" on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeAlias

__all__ = ["SEEN", "SHELL", "Parameter", "Sentence", "Words", "invalid", "python", "worded"]

# Maps the Python name of an argument, and the value that the message gives it (or ""), to text.
Words: TypeAlias = Callable[[str, str], str]

SEEN = "seen"  # in place of a list of labels: every label that occurs

# Commands in a sentence, as in `{run:{line}}`, which the page leaves out.
SHELL = {"as_from": ", as from: {}", "as_with": ", as with: {}", "run": "run: {}"}

# Arguments that Python does not write as `name=` or `name="value"`, and advice that is not an argument.
PYTHON = {
    "in_parts": "count it in parts",
    "leave_out": 'leave such rows out with missing="drop" of op.Counts.from_frame or op.read_counts',
    "model:bootstrap": "model=op.BayesianBootstrap()",
    "model:unpaired": "model=op.Unpaired()",
    "n": "n",
    "n_jobs": "n_jobs",
    "or_weights": "or pass weights= if fractions are meant",
    "pos_label": "pos_label",
    "query_ids": "model=op.BayesianBootstrap(cluster=query_ids)",
    "read_chunks": "use op.read_chunks",
    "read_logs": "use op.read_scores if it is a log",
    "sampled_unpaired": "op.PyMC(op.Unpaired())",
    "to_read_scores": "to op.read_scores",
    "unpaired": "op.Unpaired()",
    "use_unpaired": "use the unpaired model",
    "weights": "weights",
    "where:task=ner": 'where={"task": "ner"}',
}


@dataclass(frozen=True)
class Parameter:
    """An argument that a message names."""

    name: str


class Sentence:
    """A template for an error message; `str()` gives the text for Python.

    Parameters
    ----------
    template : str
        A `str.format` template. `{labels}` names an argument, `{average:macro}` an argument and its value.
    **values
        Values of the other fields; a nested Sentence is formatted with the same words.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values

    def worded(self, words: Words) -> str:
        """Return the text with these words for arguments."""
        return _Wording(words).vformat(self.template, (), self.values)

    def __str__(self) -> str:
        return self.worded(python)

    def __repr__(self) -> str:
        return repr(str(self))


class _Wording(Formatter):
    """Formats a template; a field without a value is the name of an argument."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002
        value = kwargs.get(str(key), Parameter(str(key)))
        return value.worded(self.words) if isinstance(value, Sentence) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        return self.words(value.name, format_spec) if isinstance(value, Parameter) else format(value, format_spec)


def invalid(template: str, /, **values: object) -> ValueError:
    """Return the error for an argument; `template` and `values` are as in `Sentence`."""
    return ValueError(Sentence(template, **values))


def python(name: str, value: str) -> str:
    """Return an argument as it is written in Python: `labels=`, or `average="macro"`."""
    if (known := PYTHON.get(f"{name}:{value}" if value else name)) is not None:
        return known
    if name in SHELL:
        return SHELL[name].format(value)
    return f'{name}="{value}"' if value.isidentifier() and value not in ("True", "False") else f"{name}={value}"


def worded(error: BaseException, words: Words) -> str:
    """Return the message of an error with these words for arguments."""
    message = error.args[0] if error.args else None
    return message.worded(words) if isinstance(message, Sentence) else str(error)
