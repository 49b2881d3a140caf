from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.names import TableName
from forge.transforms.dag import Transforms
from forge.transforms.decorator import transform
from forge.transforms.project import find_transform_faults, read_transforms
from forge.transforms.transform import PythonFunction, Transform, TransformKind

Write = Callable[[dict[str, str]], Path]

GUIDE = '''\
from forge import transform


@transform(
    output="marts.revenue",
    inputs={"orders": "core.orders"},
    kind="full",
    tags=["gold"],
    owner="finance@example.com",
    checks=[{"type": "not_null", "column": "day"}],
)
def revenue(orders, ctx):
    """Money per day."""
    return orders.groupBy("day").sum("amount")
'''


def load_transforms(root: Path, known: frozenset[TableName] | None = None) -> Transforms:
    """As a run of everything takes them."""
    found = read_transforms(root)
    raise_errors(fault.error for fault in find_transform_faults(found, known))
    return found.transforms


def load(root: Path) -> dict[str, Transform]:
    return {str(table): found for table, found in load_transforms(root).items()}


def function_of(found: Transform) -> PythonFunction:
    assert isinstance(found.body, PythonFunction)
    return found.body


def errors_when_loading(root: Path) -> list[ForgeError]:
    with pytest.raises(ForgeError) as raised:
        load_transforms(root)
    return list(errors_of(raised.value))


def test_the_guides_example_is_read(write: Write) -> None:
    found = load(write({"transforms/marts/money.py": GUIDE}))["marts.revenue"]
    assert found.inputs == (TableName("core", "orders"),)
    assert (found.kind, found.tags, found.owner) == (TransformKind.FULL, ("gold",), "finance@example.com")
    assert found.checks == ({"type": "not_null", "column": "day"},)
    assert (found.file, found.line, found.description) == ("transforms/marts/money.py", 4, "Money per day.")
    body = function_of(found)
    assert (dict(body.arguments), body.wants_context) == ({"orders": TableName("core", "orders")}, True)


def test_the_decorator_returns_the_function_itself() -> None:
    def plain(orders: int) -> int:
        return orders + 1

    marked = transform(output="a.b", inputs={"orders": "c.d"})(plain)
    assert marked is plain
    assert marked(1) == 2
    assert transform(plain) is plain


def test_marking_a_function_imports_neither_spark_nor_a_parser() -> None:
    code = (
        "import sys; from forge import transform; transform(output='a.b')(lambda: 1);"
        "print(sorted({'pyspark', 'sqlglot', 'pydantic', 'pandas', 'yaml'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_output_is_by_default_the_last_folder_and_the_name_of_the_function(write: Write) -> None:
    text = "from forge import transform\n@transform()\ndef one():\n    return 1\n@transform\ndef two():\n    return 2\n"
    assert set(load(write({"transforms/eu/core/x.py": text}))) == {"core.one", "core.two"}
    (first, second) = errors_when_loading(write({"transforms/x.py": text}))
    assert (first.code, first.where) == ("E206", "transforms/x.py:2")
    assert second.where == "transforms/x.py:5"


def test_a_helper_can_be_imported_relatively_and_by_its_path_and_nothing_is_left_behind(write: Write) -> None:
    files = {
        "transforms/rates.py": "EURO = 2\n",
        "transforms/core/helper.py": "from ..rates import EURO\ndef twice(x):\n    return x * EURO\n",
        "transforms/core/a.py": (
            "from forge import transform\nfrom .helper import twice\n\n"
            "@transform\ndef a():\n    from .helper import twice as late\n    return twice(1) + late(1)\n"
        ),
        "transforms/core/b.py": (
            "from forge import transform\nfrom core.helper2 import thrice\nimport rates\n\n"
            "@transform\ndef b():\n    return thrice(rates.EURO)\n"
        ),
        "transforms/core/helper2.py": "def thrice(x):\n    return x * 3\n",
    }
    path, modules = list(sys.path), set(sys.modules)
    found = load(write(files))
    assert sys.path == path
    left = [name for name in set(sys.modules) - modules if getattr(sys.modules[name], "__file__", None)]
    assert [name for name in left if "rates" in name or "helper" in name or name.endswith((".a", ".b"))] == []
    assert set(found) == {"core.a", "core.b"}
    assert function_of(found["core.a"]).function() == 4
    assert function_of(found["core.b"]).function() == 6
    assert list(Path(found["core.a"].file).parent.glob("**/__pycache__")) == []


def test_two_projects_with_files_of_the_same_name_do_not_meet(tmp_path: Path) -> None:
    values = []
    for number in (1, 2):
        folder = tmp_path / str(number) / "transforms" / "core"
        folder.mkdir(parents=True)
        (folder / "helper.py").write_text(f"VALUE = {number}\n")
        (folder / "a.py").write_text(
            "from forge import transform\nfrom core.helper import VALUE\n@transform\ndef a():\n    return VALUE\n"
        )
        values.append(function_of(load(tmp_path / str(number))["core.a"]).function())
    assert values == [1, 2]


def test_a_changed_file_is_read_anew_even_within_a_second(write: Write) -> None:
    text = "from forge import transform\nfrom .h import V\n@transform\ndef a():\n    return {}, V\n"
    for number in (1, 2, 3):
        files = {"transforms/core/a.py": text.format(number), "transforms/core/h.py": f"V = {number}\n"}
        assert function_of(load(write(files))["core.a"]).function() == (number, number)


def test_the_code_of_a_package_runs_and_may_hold_transforms(write: Write) -> None:
    text = "from forge import transform\n@transform(output='core.{0}')\ndef a():\n    return {1}\n"
    for number in (1, 2):
        files = {
            "transforms/__init__.py": text.format("top", number),
            "transforms/core/__init__.py": text.format("inner", number),
        }
        found = load(write(files))
        assert {name: function_of(one).function() for name, one in found.items()} == {
            "core.top": number,
            "core.inner": number,
        }


def test_a_transform_imported_by_another_file_counts_once(write: Write) -> None:
    files = {
        "transforms/core/a.py": "from forge import transform\n@transform\ndef a():\n    return 1\n",
        "transforms/core/b.py": "from forge import transform\nfrom .a import a\n@transform\ndef b():\n    return a()\n",
    }
    assert set(load(write(files))) == {"core.a", "core.b"}


def test_an_installed_module_is_not_hidden_by_a_file_of_the_project(write: Write) -> None:
    files = {
        "transforms/core/a.py": (
            "from forge import transform\nimport json\n@transform\ndef a():\n    return json.dumps([1])\n"
        ),
        "transforms/json.py": "dumps = None\n",
    }
    assert function_of(load(write(files))["core.a"]).function() == "[1]"


HEAD = "from forge import transform\n\n"
WRONG = [
    ("x = 1\n\nraise KeyError('no')\n", "E207", 3, "KeyError"),
    ("import nothing_like_it\n", "E207", 1, "nothing_like_it"),
    ("def f(:\n  pass\n", "E207", 1, "SyntaxError"),
    ("\n\nimport sys; sys.exit(1)\n", "E207", 3, "SystemExit"),
    (HEAD + "def f():\n    return 1 / 0\n\nf()\n", "E207", 4, "ZeroDivisionError"),
    (HEAD + "@transform(ownr='ada')\ndef f(): ...\n", "E104", 3, "owner"),
    (HEAD + "@transform(kind='ful')\ndef f(): ...\n", "E206", 3, "full"),
    (HEAD + "@transform(kind='view')\ndef f(): ...\n", "E206", 3, "view"),
    (HEAD + "@transform(kind='incremental_by_unique_key')\ndef f(): ...\n", "E206", 3, "unique_key"),
    (HEAD + "@transform(tags='gold')\ndef f(): ...\n", "E206", 3, "list"),
    (HEAD + "@transform(output='orders')\ndef f(): ...\n", "E101", 3, "schema.table"),
    (HEAD + "@transform(inputs={'orders': 'orders'})\ndef f(orders): ...\n", "E101", 3, "schema.table"),
    (HEAD + "@transform(inputs=['core.orders'])\ndef f(orders): ...\n", "E206", 3, "mapping"),
    (HEAD + "@transform(inputs={'orders': 'core.orders'})\ndef f(order): ...\n", "E206", 3, "orders"),
    (HEAD + "@transform()\ndef f(orders): ...\n", "E206", 3, "orders"),
    (HEAD + "@transform(inputs={'orders': 'core.orders'})\ndef f(orders, /): ...\n", "E206", 3, "position"),
    (HEAD + "@transform()\nasync def f(): ...\n", "E206", 3, "plain function"),
    (HEAD + "@transform()\nclass F: ...\n", "E206", 3, "plain function"),
]


@pytest.mark.parametrize(("text", "code", "line", "word"), WRONG)
def test_a_wrong_file_is_refused_with_the_line_of_the_users_code(
    write: Write, text: str, code: str, line: int, word: str
) -> None:
    error = errors_when_loading(write({"transforms/core/f.py": text}))[0]
    assert (error.code, error.where) == (code, f"transforms/core/f.py:{line}")
    assert word in f"{error.what} {error.why} {error.fix}"


def test_an_exception_in_a_helper_names_the_line_of_the_helper(write: Write) -> None:
    files = {"transforms/core/f.py": "from .h import x\n", "transforms/core/h.py": "\nx = 1 / 0\n"}
    assert {error.where for error in errors_when_loading(write(files))} == {"transforms/core/h.py:2"}


def test_arguments_with_defaults_and_keywords_are_the_functions_own_business(write: Write) -> None:
    text = HEAD + "@transform(inputs={'a': 'core.a', 'b': 'core.b'})\ndef f(a, scale=2, **others): ...\n"
    body = function_of(load(write({"transforms/core/f.py": text}))["core.f"])
    assert (set(body.arguments), body.wants_context) == ({"a", "b"}, False)


def hashes(write: Write, **changed: str) -> str:
    files = {
        "transforms/core/f.py": HEAD + "from .h import x\n@transform\ndef f(): return x\n",
        "transforms/core/h.py": "from core import k\nx = k.y\n",
        "transforms/core/k.py": "y = 1\n",
        "transforms/core/other.py": "z = 1\n",
    }
    files |= {f"transforms/core/{name}.py": text for name, text in changed.items()}
    return load(write(files))["core.f"].code_hash


@pytest.mark.slow
def test_the_code_is_the_file_and_the_files_of_the_project_it_imports(write: Write) -> None:
    first = hashes(write)
    assert hashes(write) == first
    assert hashes(write, other="z = 2\n") == first
    assert hashes(write, f=HEAD + "from .h import x\n@transform\ndef f(): return x + 1\n") != first
    assert hashes(write, h="from core import k\nx = k.y + 1\n") != first
    assert hashes(write, k="y = 2\n") != first


def test_the_line_ends_of_another_system_are_the_same_code(write: Write) -> None:
    text = HEAD + "from .h import x\n@transform\ndef f(): return x\n"
    assert hashes(write, f=text.replace("\n", "\r\n")) == hashes(write, f=text)
