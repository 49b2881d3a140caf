"""A tag: a name for a commit that does not move by itself."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from forge.model.names import CommitId
from forge.versioning.commit import Author, Signature


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    target: CommitId
    tagger: Author
    time: datetime
    message: str = ""
    target_type: str = "commit"
    signature: Signature | None = None


def tag_id_of(tag: Tag) -> str:
    """The hash of everything in the tag but its signature, which is over this."""
    tagger = [tag.tagger.name, tag.tagger.email, tag.tagger.user_id]
    body = [tag.name, tag.target, tag.target_type, tagger, tag.time.isoformat(), tag.message]
    return hashlib.sha256(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
