"""Secrets are references; what they point at is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.model.errors import ForgeError
from forge.model.secret import Secret, resolve_secret


def test_a_variable_is_read_from_the_given_environment() -> None:
    assert resolve_secret("env:CRM_PASSWORD", {"CRM_PASSWORD": "hunter2"}) == "hunter2"


@pytest.mark.parametrize("form", ["file:{}", "file://{}"])
def test_a_file_is_read_without_its_last_newline(tmp_path: Path, form: str) -> None:
    path = tmp_path / "token"
    path.write_text("two words \n", encoding="utf-8")
    assert resolve_secret(form.format(path), {}) == "two words "


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("hunter2")
    assert repr(secret) == "'***'"
    assert repr({"password": secret}) == "{'password': '***'}"
    assert secret == "hunter2"


@pytest.mark.parametrize("text", ["hunter2", "", "env:", "env:NO SPACE", "file:relative/path", "vault:x", "ENV:HOME"])
def test_what_is_no_reference_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        resolve_secret(text, {"HOME": "/"}, "sources/crm.yaml:4")
    assert caught.value.code == "E106"
    assert caught.value.where == "sources/crm.yaml:4"
    shown = " ".join(str(part) for part in caught.value.to_dict().values())
    assert not text or text not in shown.replace("env:NAME", "")


def test_a_missing_variable_is_named_with_the_line_that_sets_it() -> None:
    with pytest.raises(ForgeError) as caught:
        resolve_secret("env:CRM_PASSWORD", {}, "sources/crm.yaml:4")
    assert caught.value.code == "E107"
    assert "CRM_PASSWORD" in caught.value.what
    assert caught.value.fix is not None
    assert "export CRM_PASSWORD=" in caught.value.fix


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as caught:
        resolve_secret(f"file:{tmp_path / 'gone'}", {})
    assert caught.value.code == "E107"
    assert "gone" in caught.value.what


def test_a_file_that_is_no_text_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00secret")
    with pytest.raises(ForgeError) as caught:
        resolve_secret(f"file:{path}", {})
    assert caught.value.code == "E107"
    assert caught.value.why == "it is not text"
