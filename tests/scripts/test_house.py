"""The house keeps its rules, and `make house` says where one is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.house import House, circles, main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    for name, text in {
        "src/forge/__init__.py": "",
        "src/forge/quality/__init__.py": "",
        "src/forge/quality/check.py": "class Check: ...\n",
        "src/forge/quality/spec.py": "from forge.quality.check import Check\n",
        "tests/quality/test_check.py": "",
        "ui/src/main.ts": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.slow
def test_the_house_keeps_its_rules() -> None:
    assert list(House(ROOT).broken()) == []


def test_a_house_in_order_is_drawn_and_passes(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(small) == 0
    shown = capsys.readouterr().out
    assert "Storeys × rooms" in shown
    assert "0 cycles of modules, 0 of siblings" in shown
    assert "1 of 1 test files are in the folder of what they test" in shown
    assert [line.split()[:1] for line in shown.splitlines()[2:10]][-1] == ["tests"]
    assert "No rule is broken" in shown


def breaks(root: Path, name: str, text: str = "") -> list[str]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return list(House(root).broken())


def test_a_full_folder(small: Path) -> None:
    for number in range(29):
        assert breaks(small, f"src/forge/quality/m{number:02}.py") == ([] if number < 28 else [FULL])


FULL = "src/forge/quality holds 31 modules; 30 are the most"


def test_modules_that_import_each_other(small: Path) -> None:
    """Late imports count: they are how circles are hidden."""
    found = breaks(small, "src/forge/quality/check.py", "def later() -> None:\n    import forge.quality.spec\n")
    assert found == [
        "forge.quality.check ↔ forge.quality.spec import each other",
        "forge.quality: check, spec import each other (check → spec; spec → check)",
    ]


def test_an_import_for_types_alone_is_none(small: Path) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from forge.quality.spec import Check\n"
    assert breaks(small, "src/forge/quality/check.py", text) == []


def test_folders_that_import_each_other_through_different_modules(small: Path) -> None:
    files = {"a/__init__": "", "b/__init__": "", "b/two": "", "a/one": "import forge.quality.b.two\n"}
    for name, text in files.items():
        assert breaks(small, f"src/forge/quality/{name}.py", text) == []
    assert breaks(small, "src/forge/quality/a/free.py") == []
    assert breaks(small, "src/forge/quality/b/other.py", "import forge.quality.a.free\n") == [
        "forge.quality: a, b import each other (a.one → b.two; b.other → a.free)"
    ]


def test_a_class_name_that_is_there_twice(small: Path) -> None:
    text = "class Check: ...\nclass _Own: ...\n"
    assert breaks(small, "src/forge/quality/again.py", text) == [
        "the class name Check exists in forge.quality.again, forge.quality.check"
    ]


@pytest.mark.parametrize("name", ["Known", "Judged", "Beside", "Seen"])
def test_a_class_that_is_named_by_no_noun(small: Path, name: str) -> None:
    assert breaks(small, "src/forge/quality/names.py", f"class {name}: ...\n") == [
        f"forge.quality.names: {name} is no noun; docs/glossary.md has the words"
    ]
    for hidden in (f"class _{name}: ...\n", f"def f():\n    class {name}: ...\n", f"{name} = tuple[int, str]\n"):
        assert len(breaks(small, "src/forge/quality/names.py", hidden)) == 1
    assert breaks(small, "src/forge/quality/names.py", f"class {name}Table: ...\n{name.upper()} = 1\n") == []


def test_a_module_that_is_named_by_no_noun(small: Path) -> None:
    assert breaks(small, "src/forge/quality/feed.py") == []
    assert breaks(small, "src/forge/quality/taken.py") == [
        "forge.quality.taken: taken is no noun; docs/glossary.md has the words"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "told = 1\n",
        "def f(said): ...\n",
        "class A:\n    is_told: bool = False\n",
        "def start_anew(): ...\n",
        "class ToldTable: ...\n",
        "def f(self): self._said = 1\n",
    ],
)
def test_a_name_of_the_dialect(small: Path, text: str) -> None:
    (found,) = breaks(small, "src/forge/quality/names.py", text)
    assert "has a word that the field does not use" in found
    assert breaks(small, "src/forge/quality/names.py", "told_at = aforesaid = mender = {}\nmender['told'] = 1\n") == []
    assert breaks(small, "src/forge/api/quality/wire/names.py", "class View:\n    told: list[str]\n") == []


def test_rooms_of_a_store_that_import_each_other(small: Path) -> None:
    assert breaks(small, "src/forge/stores/sql/quality/metrics.py") == []
    assert breaks(small, "src/forge/stores/sql/lineage/facts.py", "import forge.stores.sql.quality.metrics\n") == [
        "forge.stores.sql.lineage.facts imports forge.stores.sql.quality.metrics, of another room"
    ]


def test_a_test_that_lies_elsewhere_than_what_it_tests(small: Path) -> None:
    assert breaks(small, "tests/nowhere/test_x.py") == ["tests/nowhere/test_x.py lies in no folder of src/forge"]
    (small / "tests/nowhere/test_x.py").unlink()
    assert breaks(small, "tests/spark/test_y.py") == []


def test_a_fixture_of_one_meaning_that_is_defined_twice(small: Path) -> None:
    text = "@pytest.fixture\ndef {}(): ...\n"
    assert breaks(small, "tests/quality/conftest.py", text.format("world")) == []
    assert breaks(small, "tests/quality/test_spec.py", text.format("source_world") + "def world(): ...\n") == []
    for second in (text.format("world"), '@pytest.fixture(name="world")\ndef made(): ...\n'):
        assert breaks(small, "tests/quality/test_spec.py", second) == [
            "the fixture world is defined in tests/quality/conftest.py, tests/quality/test_spec.py"
        ]


@pytest.mark.parametrize(
    "text",
    [
        'def f(error): return error.code == "E108"\n',
        'def f(error): return "E108" != error.code\n',
        'def f(error): return error.code not in ("E108", "E901")\n',
        'STOPPED = "E901"\ndef f(error): return error.code == STOPPED\n',
        'ALL = ("E108", "E901")\ndef f(error): return error.code in ALL\n',
        'ALL = frozenset({"E108"})\ndef f(error): return error.code in ALL\n',
        'ALL: dict[str, int] = {"E108": 1}\ndef f(error): return error.code in ALL\n',
        "from forge.quality.codes import ALL\ndef f(error): return error.code not in ALL\n",
    ],
)
def test_an_error_that_is_told_apart_by_its_code(small: Path, text: str) -> None:
    line = text.count("\n")
    assert breaks(small, "src/forge/quality/codes.py", 'ALL = frozenset({"E108"})\n') == []
    assert breaks(small, "src/forge/quality/caught.py", text) == [
        f"forge.quality.caught:{line} compares a code; catch the error by its class"
    ]
    assert breaks(small, "src/forge/quality/caught.py", "def f(one, two): return one.code == two.code\n") == []


def test_an_error_that_is_raised_by_the_code_of_a_class(small: Path) -> None:
    error = 'class ForgeError(Exception): ...\nclass SourceUnreachableError(ForgeError):\n    code = "E308"\n'
    assert breaks(small, "src/forge/model/errors.py", error) == []
    assert breaks(small, "src/forge/quality/failure.py", 'raise ForgeError("E309", "refused")\n') == []
    assert breaks(small, "src/forge/quality/failure.py", 'raise ForgeError("E308", "no answer")\n') == [
        "forge.quality.failure:1 raises E308 by its code; raise SourceUnreachableError"
    ]


def test_a_large_data_class_that_takes_positions(small: Path) -> None:
    fields = "".join(f"    f{number}: int\n" for number in range(6)) + "    KNOWN: ClassVar[int]\n"
    large = f"{fields}    f6: int\n"
    name = "src/forge/quality/record.py"
    assert breaks(small, name, f"@dataclass(frozen=True)\nclass Small:\n{fields}") == []
    assert breaks(small, name, f"@dataclass(frozen=True)\nclass Large:\n{large}") == [
        "forge.quality.record.Large has 7 fields; more than 6 need kw_only=True"
    ]
    assert breaks(small, name, f"@dataclass(frozen=True, kw_only=True)\nclass Large:\n{large}") == []


def test_words_that_only_a_comment_closes(small: Path) -> None:
    name = "src/forge/quality/record.py"
    for field in ("str", "str | None = None", 'str = "run"'):
        assert breaks(small, name, f"class Record:\n    kind: {field}  # run | commit | merge\n") == [
            "forge.quality.record:2 lists its words in a comment; make them a StrEnum or a Literal"
        ]
    assert breaks(small, name, 'class Record:\n    kind: Literal["run", "commit"]  # run: makes tables\n') == []


def test_circles_of_any_size() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert sorted(circles(graph)) == [["a", "b", "c"], ["d", "e"]]
