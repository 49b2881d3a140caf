"""The contracts of a project at another commit of its git repository."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from forge.model.errors import ForgeError, NamedError

_SUFFIXES = (".odcs.yaml", ".odcs.yml")
_SECONDS = 30


class GitError(NamedError):
    code = "E504"


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Read-only: `git ls-tree` and `git show`, in the project's folder."""

    root: Path

    def files(self, ref: str) -> list[str]:
        """Contract files, relative to the project."""
        listed = self._git("ls-tree", "-r", "-z", "--name-only", self._commit(ref), "--", ".")
        names = listed.decode("utf-8", errors="replace").split("\0")
        return [name for name in names if name.endswith(_SUFFIXES) or name == "datacontract.yaml"]

    def read(self, ref: str, file: str) -> bytes | None:
        """None where the commit has no such file."""
        commit = self._commit(ref)
        if not self._git("ls-tree", "-z", "--name-only", commit, "--", file):
            return None
        return self._git("show", f"{commit}:./{file}")

    def _commit(self, ref: str) -> str:
        try:
            return (
                self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
            )
        except GitError as error:
            raise GitError(
                f"Git knows no commit {ref}",
                where=str(self.root),
                why="The folder is no Git repository, or it has no such branch, tag or commit.",
                fix="git log --oneline shows the commits; take one, a branch or a tag.",
            ) from error

    def _git(self, *words: str) -> bytes:
        git = shutil.which("git")
        if git is None:
            raise ForgeError("E509", "Git is not installed", fix="Install Git, or compare two files.")
        try:
            done = subprocess.run(  # noqa: S603 — no shell; a ref cannot be an option
                [git, *words], cwd=self.root, capture_output=True, check=False, timeout=_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ForgeError("E509", "Git did not answer", why=str(error), fix="Try git log in that folder.") from error
        if done.returncode:
            why = done.stderr.decode("utf-8", errors="replace").strip()
            raise GitError(f"git {words[0]} failed", why=why or None, fix="Try git log in that folder.")
        return done.stdout
