"""The base of every sealed document: frozen, strict, canonical.

`to_bytes` and `from_bytes` are inverse on bytes: a file that differs by one byte from the canonical form of what it
says is refused (NotCanonical), and a document that its schema does not know is refused (DocumentRefused) without
quoting its values.
"""

import json
import re
import tomllib
from datetime import UTC, datetime, timedelta
from typing import Annotated, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, StringConstraints, ValidationError

from pipeline.canonical import canonical_bytes, parse_canonical, sha256_hex
from pipeline.refusals import DocumentRefused, InputRefused, NotCanonical


def _utc(moment: datetime) -> datetime:
    if moment.utcoffset() != timedelta(0):
        raise ValueError("time is not UTC")
    return moment.astimezone(UTC)


UtcTime = Annotated[AwareDatetime, AfterValidator(_utc)]
"""A UTC time; a naive time or another offset is refused, never guessed."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
RunId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
"""First 16 hex digits of the approval's (or undo request's) sha256."""
MessageId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,128}$")]
"""Gmail's opaque ids: hex at Google, other letters at its peers. Message and thread ids alike."""
_LABEL_ID = r"^[A-Za-z0-9_-]{1,128}$"
LabelId = Annotated[str, StringConstraints(pattern=_LABEL_ID)]
HistoryId = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,20}$")]
_ACCOUNT_ID = r"^[a-z0-9][a-z0-9-]{0,62}$"
AccountId = Annotated[str, StringConstraints(pattern=_ACCOUNT_ID)]


def is_label_id(text: str) -> bool:
    """Whether a text of Gmail's may stand as a label id in our documents."""
    return re.fullmatch(_LABEL_ID, text) is not None


def is_account_id(text: str) -> bool:
    """Whether a text may be an account's id."""
    return re.fullmatch(_ACCOUNT_ID, text) is not None


class Frozen(BaseModel):
    """A strict, immutable part of a document."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
        use_enum_values=False,
    )


class Document(Frozen):
    """A whole document with one sequence of bytes."""

    def to_bytes(self) -> bytes:
        """The canonical bytes (no final newline)."""
        return canonical_bytes(self.model_dump(mode="json"))

    @property
    def sha256(self) -> str:
        """The digest of the canonical bytes: the document's id."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a document back. Raises NotJson, NotCanonical or DocumentRefused."""
        parse_canonical(data)
        document = cls._validated(data)
        if document.to_bytes() != data:
            raise NotCanonical(f"{cls.__name__}: bytes are not the form that we write", evidence=f"{len(data)} bytes")
        return document

    @classmethod
    def _validated(cls, data: bytes) -> Self:
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            raise DocumentRefused(f"not a valid {cls.__name__}", evidence=explain(error)) from None


def explain(error: ValidationError) -> str:
    """The places and kinds of a validation error, without the values (they may be mail or secrets)."""
    found = (f"{'.'.join(str(part) for part in item['loc']) or 'document'}: {item['msg']}" for item in error.errors())
    return "; ".join(list(found)[:5])


Model = TypeVar("Model", bound=BaseModel)


def _without_values(error: Exception) -> str:
    """Where a TOML file breaks off; a decoder's message would quote its bytes."""
    return str(error) if isinstance(error, tomllib.TOMLDecodeError) else type(error).__name__


def read_toml(model: type[Model], data: bytes, name: str, refusal: type[InputRefused]) -> Model:
    """A strict model from TOML bytes: no coercion, no unknown key, no nan. Raises `refusal`, naming the file."""
    try:
        text = json.dumps(tomllib.loads(data.decode("utf-8")), allow_nan=False)
        return model.model_validate_json(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise refusal(f"{name} is not TOML", evidence=_without_values(error)) from None
    except (TypeError, ValueError) as error:
        evidence = explain(error) if isinstance(error, ValidationError) else "a value that JSON cannot hold"
        raise refusal(f"{name} is not valid", evidence=evidence, next_command=f"correct {name}") from None
