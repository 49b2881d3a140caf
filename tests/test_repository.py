"""What holds for the repository as a whole, over every file that is or would be committed."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
BINARY = {".png", ".ico", ".parquet", ".woff2"}
TARGETS: tuple[str, ...] = ("setup", "demo", "ui", "wheel", "test", "check", "web-check", "spark-test", "house")
TARGETS += ("services-test", "browser-test", "types", "lock", "docs", "bench", "bench-server", "clean", "help")
FORBIDDEN_NAMES = {"core", "common", "utils", "helpers", "base", "models", "services", "managers"}

# Written so that this file does not match itself.
ADDRESS_OF_A_REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|repo1?\.maven|maven\.org|registry\.npmjs|[\w.]+://\S*/simple\b|index-url[= ]\S*://"
)
PATH_OF_A_MACHINE = re.compile(r"(?<![\w.$}~*/-])/(?:work|root|tmp|home|Users|opt/wheels)/[\w.-]")
HASHED = re.compile(r"^(?P<name>[A-Za-z0-9_.-]+)(?:\[[\w,-]+\])?==(?P<version>\S+)(?: ; (?P<marker>.+?))? \\$")


def committed() -> tuple[Path, ...]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return tuple(path for name in listing.split("\0") if name and (path := ROOT / name).is_file())


FILES = committed()
TEXTS = tuple(path for path in FILES if path.suffix not in BINARY)
MODULES = tuple(path for path in FILES if path.suffix == ".py")


def found(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in TEXTS
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "--index-url" + " https://mirror.example/x",
        "https://pypi" + ".org/simple",
        "https://mirror.example/a" + "/simple/",
        "https://repo1" + ".maven." + "org/maven2",
    ],
)
def test_the_pattern_of_addresses_finds_them(line: str) -> None:
    assert ADDRESS_OF_A_REGISTRY.search(line)


@pytest.mark.slow
def test_no_file_names_a_package_registry() -> None:
    assert found(ADDRESS_OF_A_REGISTRY) == []


@pytest.mark.parametrize("folder", ["work", "root", "tmp", "home", "Users"])
def test_the_pattern_of_machine_paths_finds_them(folder: str) -> None:
    assert PATH_OF_A_MACHINE.search(f'x = "/{folder}/someone"')
    assert not PATH_OF_A_MACHINE.search(f"examples/{folder}/someone")


@pytest.mark.slow
def test_no_file_names_a_path_of_one_machine() -> None:
    assert found(PATH_OF_A_MACHINE) == []


@pytest.mark.slow
def test_every_room_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if path.is_relative_to(ROOT / "src")
        and (text := path.read_text("utf-8").strip())
        and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == []


def test_no_room_is_called_by_a_name_that_says_nothing() -> None:
    source = ROOT / "src" / "forge"
    parts = {part for path in MODULES if path.is_relative_to(source) for part in path.relative_to(source).parts}
    assert {part.removesuffix(".py") for part in parts} & FORBIDDEN_NAMES == set()


def test_ci_runs_make_test_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    lines = [line for line in script.read_text().splitlines() if line and not line.startswith("#")]
    assert lines == ['cd "$(dirname "$0")/.." && exec make test']


def test_the_licence_is_the_whole_of_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert project()["project"]["license"] == "Apache-2.0"


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ".pre-commit-config.yaml"])
def test_a_newcomer_finds(name: str) -> None:
    assert (ROOT / name).read_text().strip()


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)} → {target}"
        for path in TEXTS
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
        if not (path.parent / target).exists()
    ]
    assert broken == []


def test_every_page_and_decision_is_found_from_the_first_page_of_the_documentation() -> None:
    first = ROOT / "docs" / "README.md"
    linked = {(first.parent / target).resolve() for target in re.findall(r"\]\(([^)#:\s]+)", first.read_text("utf-8"))}
    pages = {path for folder in ("docs", "docs/decisions", "docs/guide") for path in (ROOT / folder).glob("*.md")}
    assert sorted(path.name for path in pages - linked - {first}) == []


def test_make_help_lists_every_target() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in TARGETS:
        assert re.search(rf"^  make {target} +\S", listed, re.MULTILINE), target
    default = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert default == listed


# --- locks -----------------------------------------------------------------------------------------------------------


def project() -> dict[str, Any]:
    content: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return content


def locked(name: str) -> set[tuple[str, str, str | None]]:
    """Name, version and marker of each requirement; a line that is none of requirement, hash or comment fails."""
    requirements: set[tuple[str, str, str | None]] = set()
    hashed = True
    for line in (ROOT / "requirements" / name).read_text().splitlines():
        if line.lstrip().startswith("#"):
            continue
        if line.startswith("    --hash=sha256:"):
            hashed = True
            continue
        match = HASHED.match(line)
        assert match, f"not a hashed requirement: {line}"
        assert hashed, f"no hash before: {line}"
        hashed = False
        requirements.add((match["name"], match["version"], match["marker"]))
    assert hashed
    return requirements


def required(requirements: list[str]) -> set[str]:
    names = (re.match(r"[A-Za-z0-9_.-]+", text) for text in requirements if isinstance(text, str))
    return {match.group().lower().replace("_", "-") for match in names if match}


def test_the_lock_of_the_demo_holds_what_forge_needs_and_can_build_it() -> None:
    content = project()
    wanted = required(content["project"]["dependencies"]) | required(content["dependency-groups"]["build"])
    assert wanted <= {name for name, _, _ in locked("run.lock")}


def test_the_lock_of_the_tools_holds_what_developers_need() -> None:
    content = project()
    wanted = required(content["project"]["dependencies"]) | required(content["dependency-groups"]["dev"])
    assert wanted <= {name for name, _, _ in locked("dev.lock")}


def test_the_demo_runs_on_the_very_versions_that_are_tested() -> None:
    assert locked("run.lock") <= locked("dev.lock")


@pytest.mark.parametrize(("name", "safe"), [("starlette", (1, 3, 1)), ("python-multipart", (0, 0, 27))])
def test_the_lowest_version_that_may_be_installed_is_a_safe_one(name: str, safe: tuple[int, ...]) -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (declared,) = [one for one in dependencies if one.startswith(f"{name}>=")]
    lowest = tuple(map(int, declared.removeprefix(f"{name}>=").partition(",")[0].split(".")))
    assert lowest >= safe
    for lock in ("run.lock", "dev.lock"):
        (version,) = [version for found, version, _ in locked(lock) if found == name]
        assert tuple(map(int, version.split("."))) >= lowest


def test_the_installer_is_locked_too() -> None:
    assert {name for name, _, _ in locked("uv.lock")} == {"uv"}


def test_the_glossary_says_each_word_once() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    words = [word for word in rows if word not in ("word", "---")]
    assert len(words) > 60
    assert sorted(words) == sorted(set(words))
