"""Messages that name arguments: Python, the command and the page each call an argument by their own name for it.

`ValueError(Sentence("say which is positive with {pos_label}"))` reads "… with pos_label" in Python, "… with
--pos-label" on the command line and "… with the field Positive class" on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeAlias

__all__ = ["Parameter", "Sentence", "Words", "python", "worded"]

# What an argument is called, given its name in Python and the value that the message gives it, if any.
Words: TypeAlias = Callable[[str, str], str]

# What Python calls otherwise than `name=` and `name="value"`, and advice that is no argument.
PYTHON = {
    "in_parts": "count it in parts",
    "leave_out": 'leave such rows out with missing="drop" of op.Counts.from_frame or op.read_counts',
    "model:bootstrap": "model=op.BayesianBootstrap()",
    "model:unpaired": "model=op.Unpaired()",
    "n": "n",
    "n_jobs": "n_jobs",
    "or_weights": "or say weights= if fractions are meant",
    "pos_label": "pos_label",
    "query_ids": "model=op.BayesianBootstrap(cluster=query_ids)",
    "read_chunks": "use op.read_chunks",
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
    """The message of an error, as a template; its text is in the words of Python.

    Parameters
    ----------
    template : str
        As for `str.format`. `{labels}` names an argument, `{average:macro}` an argument and its value.
    **values
        What other fields of the template stand for; another Sentence is put in the same words.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values

    def worded(self, words: Words) -> str:
        """The text, in these words for arguments."""
        return _Wording(words).vformat(self.template, (), self.values)

    def __str__(self) -> str:
        return self.worded(python)

    def __repr__(self) -> str:
        return repr(str(self))


class _Wording(Formatter):
    """Fills in a template; a field that is not given is an argument."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002
        value = kwargs.get(str(key), Parameter(str(key)))
        return value.worded(self.words) if isinstance(value, Sentence) else value

    def format_field(self, value: Any, format_spec: str) -> str:
        return self.words(value.name, format_spec) if isinstance(value, Parameter) else format(value, format_spec)


def python(name: str, value: str) -> str:
    """An argument as Python has it: `labels=`, or `average="macro"`."""
    if (known := PYTHON.get(f"{name}:{value}" if value else name)) is not None:
        return known
    return f'{name}="{value}"' if value.isidentifier() and value not in ("True", "False") else f"{name}={value}"


def worded(error: BaseException, words: Words) -> str:
    """What an error says, in these words for arguments."""
    message = error.args[0] if error.args else None
    return message.worded(words) if isinstance(message, Sentence) else str(error)
