"""Uploaded files: multipart forms, spooled to a temporary file within a size limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from python_multipart.exceptions import FormParserError
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from forge.api.bodies import chunks_within
from forge.api.wire import Name, Text, Wire
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.data.request import CommitMode, CommitRequest
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.upload.commit import commit_file
from forge.flows.versioning.upload.limits import DEFAULT_LIMITS
from forge.model.errors import ForgeError
from forge.model.names import TableName

MOST_BYTES = DEFAULT_LIMITS.bytes
_ENVELOPE = 64 * 1024  # size of the form without its file
_FILE = ("file", "data")

ModeWord = Literal["append", "overwrite", "merge", "delete"]


class CommitForm(Wire):
    """The form fields sent with the file."""

    message: Text | None = None
    mode: ModeWord = "append"
    key: tuple[Name, ...] = Field((), max_length=50)
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """A form whose file is on disk, or in memory if small. The reader closes it."""

    form: CommitForm
    name: str
    content_type: str | None
    file: BinaryIO

    def close(self) -> None:
        self.file.close()


async def receive(request: Request, *, limit: int = MOST_BYTES) -> Upload:
    """E622 as soon as the declared or received size exceeds the limit."""
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        raise _no_form("The request does not say that it is one: Content-Type is not multipart/form-data.")
    chunks = chunks_within(request, limit + _ENVELOPE, _too_large(limit))
    parser = MultiPartParser(request.headers, chunks, max_files=1, max_fields=100, max_part_size=_ENVELOPE)
    try:
        form = await parser.parse()
    except (MultiPartException, FormParserError, KeyError, UnicodeDecodeError) as error:
        raise _no_form(str(getattr(error, "message", error)) or "It ends too early.") from error
    except ClientDisconnect:
        raise _no_form("It ended too early.") from None
    try:
        return _upload(form, limit)
    except BaseException:
        await form.close()
        raise


def commit_upload(table: TableName, branch: str, upload: Upload, ports: VersionPorts) -> CommitResult:
    """The rows of the file, fitted to the table on the branch, in one commit."""
    form, mode = upload.form, CommitMode(upload.form.mode)
    request = CommitRequest(
        table=table, branch=branch, mode=mode, key=form.key, message=form.message, action="upload", where=upload.name
    )
    return commit_file(request, upload.file, ports, content_type=upload.content_type)


def _upload(form: FormData, limit: int) -> Upload:
    files = [(name, value) for name, value in form.multi_items() if isinstance(value, UploadFile)]
    if len(files) != 1 or files[0][0] not in _FILE:
        raise ForgeError("E105", "The form has no file", where="body.file", fix="Send the file as the part `file`.")
    file = files[0][1]
    if file.size is not None and file.size > limit:
        raise _too_large(limit)
    return Upload(_form(form), _name(file.filename), file.content_type, file.file)


def _form(form: FormData) -> CommitForm:
    texts = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    keys = [part.strip() for name, value in texts if name == "key" for part in value.split(",") if part.strip()]
    given: Mapping[str, Any] = {**{name: value for name, value in texts if name != "key"}, "key": keys}
    try:
        return CommitForm.model_validate(given)
    except ValidationError as error:
        found = [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        raise RequestValidationError(found) from error


def _name(filename: str | None) -> str:
    """For messages; never a path."""
    name = (filename or "").replace("\\", "/").rpartition("/")[2]
    return name[:200].strip() or "the file"


def _no_form(why: str) -> ForgeError:
    return ForgeError(
        "E105",
        "The body is not a form with a file",
        where="body",
        why=why,
        fix="Send multipart/form-data with the parts message, mode and file, as `curl -F` does.",
    )


def _too_large(limit: int) -> ForgeError:
    return ForgeError(
        "E622",
        f"The file is larger than {limit // 10**6:,} MB",
        why="Nothing of it was taken.",
        fix="Split it, or load it as a source by `forge run`.",
    )


def _described(table: bool) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "file": {"type": "string", "format": "binary", "description": "CSV, JSON lines or Parquet, by its ending."},
        "message": {"type": "string", "maxLength": 10_000, "description": "Message of the commit."},
        "mode": {"type": "string", "enum": ["append", "overwrite", "merge", "delete"], "default": "append"},
        "key": {"type": "string", "description": "Key columns of merge and delete, by comma; declared ones without."},
    }
    needed = ["file"]
    if table:
        parts["table"] = {"type": "string", "maxLength": 255, "description": "schema.table"}
        needed.append("table")
    schema = {"type": "object", "properties": parts, "required": needed}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


FORM, TABLE_FORM = _described(table=False), _described(table=True)
