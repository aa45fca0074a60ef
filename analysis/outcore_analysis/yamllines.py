# SPDX-License-Identifier: Apache-2.0
"""YAML with the lines of its keys, and schema errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from outcore_analysis.faults import ToldError

KeyPath = tuple[str | int, ...]
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
SCHEMAS = CONFIGS / "schema"
# Each job of a sweep reads all files again, and the parser in C takes a tenth of the time.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ConfigError(ToldError):
    """A configuration that cannot be run; the message names file and line of every fault."""


@dataclass
class Document:
    """A parsed YAML file: its value, and the line of every key and item."""

    file: str
    value: Any
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def place(self, path: Iterable[str | int] = ()) -> str:
        """Return `file:line` of a key path, or of its nearest ancestor in the file."""
        keys = tuple(path)
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return f"{self.file}:{self.lines.get(keys, 1)}"


def load_yaml(file: Path | str) -> Document:
    """Parse one YAML file; duplicate keys and syntax errors raise ConfigError."""
    path = Path(file)
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: not YAML: {error.problem}") from error
    document = Document(str(path), None)
    if node is not None:
        document.value = _value(node, (), document)
    return document


def _value(node: yaml.Node, path: KeyPath, document: Document) -> Any:
    document.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in result:
                raise ConfigError(f"{document.file}:{line}: key '{key}' occurs twice")
            document.lines[(*path, key)] = line
            result[key] = _value(value_node, (*path, key), document)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, i), document) for i, item in enumerate(node.value)]
    loader = yaml.SafeLoader("")
    return loader.construct_object(node)


@cache
def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema configs/schema/<name>.schema.json."""
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    return loaded


@cache
def validator(name: str) -> Draft202012Validator:
    """Return a validator for configs/schema/<name>.schema.json."""
    return Draft202012Validator(schema(name))


def check(document: Document, name: str) -> None:
    """Raise a ConfigError that lists every place where the document breaks the schema."""
    faults = [
        f"{document.place(_path(error))}: {_message(error)}"
        for error in validator(name).iter_errors(document.value)
    ]
    if faults:
        raise ConfigError("\n".join(sorted(faults)))


def _dict(value: Any) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value


def _unknown(error: ValidationError) -> list[str]:
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    return [key for key in _dict(error.instance) if key not in known]


def _path(error: ValidationError) -> KeyPath:
    path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        return (*path, _unknown(error)[0])
    if error.validator == "propertyNames" or (
        error.parent is None and "propertyNames" in error.absolute_schema_path
    ):
        return (*path, str(error.instance))
    return path


def _message(error: ValidationError) -> str:
    where = ".".join(str(key) for key in error.absolute_path)
    if error.validator == "additionalProperties":
        assert isinstance(error.schema, dict)
        known = ", ".join(error.schema.get("properties", {})) or "none here"
        return f"unknown key '{_unknown(error)[0]}'; known keys: {known}"
    text = error.message if len(error.message) < 200 else f"{error.message[:200]} ..."
    return f"{where}: {text}" if where else text
