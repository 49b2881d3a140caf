"""A tag: a fixed name for a commit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from forge.model.canonical_json import digest_of
from forge.model.names import CommitId
from forge.versioning.commit import Author, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    name: str
    target: CommitId
    tagger: Author
    time: datetime
    message: str = ""
    target_type: Literal["commit"] = "commit"
    signature: Signature | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "target": self.target,
            "target_type": self.target_type,
            "tagger": self.tagger.to_dict(),
            "time": self.time,
            "message": self.message,
            "signature": self.signature.to_dict() if self.signature else None,
        }


def tag_id_of(tag: Tag) -> str:
    """The hash of everything in the tag but its signature, which is over this."""
    tagger = [tag.tagger.name, tag.tagger.email, tag.tagger.user_id]
    return digest_of([tag.name, tag.target, tag.target_type, tagger, tag.time.isoformat(), tag.message])
