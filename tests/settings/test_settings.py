"""Settings: flag > FORGE_* > forge.yaml > the user's file; nothing unknown is ignored; no secret stands in a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel

from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.settings import Keys, Settings, User, load_settings

Load = Callable[..., Settings]
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "project.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def load(root: Path, tmp_path: Path) -> Load:
    """Settings of a forge.yaml, in an environment that holds nothing else."""

    def load(
        text: str = "", environ: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
    ) -> Settings:
        (root / "forge.yaml").write_text(text, encoding="utf-8")
        home = {"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        return load_settings(root, {**home, **(environ or {})}, flags)

    return load


def refusals(load: Load, *arguments: object) -> list[tuple[str, str | None, str]]:
    with pytest.raises(ForgeError) as caught:
        load(*arguments)
    return [(e.code, e.where, f"{e.what} {e.fix or ''}") for e in errors_of(caught.value)]


def test_an_empty_file_gives_the_documented_defaults(load: Load, root: Path) -> None:
    settings = load()
    assert settings.root == root
    assert settings.project == "shop"
    assert settings.database_url() == f"sqlite:///{root}/.forge/forge.db"
    assert settings.warehouse_path() == f"{root}/.forge/warehouse"
    assert settings.catalog.type == "embedded"
    assert settings.spark == {
        "master": "local[*]",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "4",
    }
    assert settings.parallel == 2
    assert settings.run.publish == "passing"
    assert settings.params == {}
    assert settings.versioning.default_branch == "main"
    assert settings.owners == {}


def test_the_file_shown_in_the_guide_is_accepted(load: Load) -> None:
    text = GUIDE.read_text(encoding="utf-8").split("## forge.yaml")[1].split("```yaml\n")[1].split("```")[0]
    settings = load(text)
    assert settings.project == "shop"
    assert settings.user == User("Ada", "ada@example.com")
    assert settings.params["day"].default == date(2026, 11, 15)
    assert settings.owner_of(TableName("marts", "revenue")) == "finance@example.com"


def test_the_project_is_found_from_a_folder_inside_it(load: Load, root: Path) -> None:
    load("project: found")
    inner = root / "transforms" / "core"
    inner.mkdir(parents=True)
    assert load_settings(inner, {"HOME": str(root)}).project == "found"


def test_no_project_is_an_error_that_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as caught:
        load_settings(tmp_path, {})
    assert caught.value.code == "E102"
    assert caught.value.fix is not None
    assert "forge init" in caught.value.fix


def test_each_origin_covers_the_one_below(load: Load, tmp_path: Path) -> None:
    user_file = tmp_path / ".config" / "forge" / "config.yaml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text("parallel: 3\nproject: user\n", encoding="utf-8")
    assert load().parallel == 3
    assert load("parallel: 4").parallel == 4
    assert load("parallel: 4", {"FORGE_PARALLEL": "5"}).parallel == 5
    assert load("parallel: 4", {"FORGE_PARALLEL": "5"}, {"parallel": 6}).parallel == 6
    assert load("parallel: 4").project == "user"


def test_a_flag_that_was_not_given_covers_nothing(load: Load) -> None:
    assert load("parallel: 4", {}, {"parallel": None, "run.publish": "all"}).parallel == 4
    assert load("", {}, {"run.publish": "all"}).run.publish == "all"


def test_the_users_file_follows_xdg_config_home(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "xdg" / "forge"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("parallel: 7", encoding="utf-8")
    assert load("", {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}).parallel == 7


def test_a_section_is_merged_key_by_key(load: Load) -> None:
    settings = load("user: {name: Ada, email: ada@example.com}", {"FORGE_USER__NAME": "Grace"})
    assert settings.user == User("Grace", "ada@example.com")


@pytest.mark.parametrize(
    ("variable", "key"),
    [
        ("FORGE_SPARK__MASTER", "master"),
        ("FORGE_SPARK__DRIVER__MEMORY", "spark.driver.memory"),
        ("FORGE_SPARK__SPARK__DRIVER__MEMORY", "spark.driver.memory"),
        ("FORGE_SPARK__DRIVER__maxResultSize", "spark.driver.maxResultSize"),
    ],
)
def test_two_underscores_are_one_level_of_spark(load: Load, variable: str, key: str) -> None:
    assert load("spark: {master: yarn}", {variable: "given"}).spark[key] == "given"


def test_spark_settings_pass_through_as_texts(load: Load) -> None:
    spark = load("spark: {spark.ui.enabled: false, spark.sql.shuffle.partitions: 8, spark.eventLog.dir: file:/x}").spark
    assert spark["spark.ui.enabled"] == "false"
    assert spark["spark.sql.shuffle.partitions"] == "8"
    assert spark["spark.eventLog.dir"] == "file:/x"


@pytest.mark.parametrize(
    "name", ["FORGE_TEST_WITHOUT", "FORGE_FAULT", "FORGE_TOKEN", "FORGE_FAULT_STEP", "FORGE_SOURCE_CRM"]
)
def test_variables_that_are_no_settings_are_left_alone(load: Load, name: str) -> None:
    assert load("", {name: "x"}).project == "shop"


@pytest.mark.parametrize(
    ("text", "environ", "where", "near"),
    [
        ("project: a\nparalel: 3", {}, "forge.yaml:2", "parallel"),
        ("run:\n  publsh: all", {}, "forge.yaml:2", "publish"),
        ("params:\n  day:\n    type: date\n    defalt: 2026-11-15", {}, "forge.yaml:4", "default"),
        ("spark:\n  mastr: yarn", {}, "forge.yaml:2", "master"),
        ("spark:\n  driver.memory: 2g", {}, "forge.yaml:2", "spark.driver.memory"),
        ("", {"FORGE_PARALEL": "3"}, "environment FORGE_PARALEL", "FORGE_PARALLEL"),
        ("", {"FORGE_RUN__PUBLSH": "all"}, "environment FORGE_RUN__PUBLSH", "FORGE_RUN__PUBLISH"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest(
    load: Load, text: str, environ: dict[str, str], where: str, near: str
) -> None:
    [(code, place, said)] = refusals(load, text, environ)
    assert (code, place) == ("E104", where)
    assert f"Did you mean {near}" in said


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("parallel: many", "forge.yaml:1", "whole number"),
        ("parallel: 0", "forge.yaml:1", "greater than or equal to 1"),
        ("parallel: true", "forge.yaml:1", "whole number"),
        ("\nproject: 2024", "forge.yaml:2", "text"),
        ("run:\n  publish: everything", "forge.yaml:2", "'passing' or 'all'"),
        ("run: all", "forge.yaml:1", "mapping"),
        ("params:\n  day: {default: 1}", "forge.yaml:2", "required"),
        ("params:\n  day: {type: dat}", "forge.yaml:2", "Did you mean date"),
        ("params:\n  day:\n    type: date\n    default: tomorrow", "forge.yaml:4", "'tomorrow' is no date"),
        ("owners:\n  marts.*: [a, b]", "forge.yaml:2", "text"),
        ("spark:\n  spark.jars: [a, b]", "forge.yaml:2", "text, a number"),
        ("catalog:\n  type: rest", "forge.yaml:2", "needs a uri"),
        ("catalog:\n  uri: http://x", "forge.yaml:2", "embedded"),
        ("database: mysql", "forge.yaml:1", "no address"),
    ],
)
def test_a_bad_value_is_refused_with_its_place(load: Load, text: str, where: str, words: str) -> None:
    [(code, place, said)] = refusals(load, text)
    assert (code, place) == ("E105", where)
    assert words in said


def test_a_bad_value_of_a_variable_names_the_variable(load: Load) -> None:
    [(code, place, _)] = refusals(load, "parallel: 3", {"FORGE_PARALLEL": "many"})
    assert (code, place) == ("E105", "environment FORGE_PARALLEL")
    [(code, place, _)] = refusals(load, "", {"FORGE_DATABASE_URL": "nowhere"})
    assert (code, place) == ("E105", "environment FORGE_DATABASE_URL")


def test_all_problems_are_found_at_once(load: Load) -> None:
    found = refusals(load, "parallel: many\nprojct: a\nspark: {mastr: x}\nrun: {publish: some}")
    assert sorted((code, where) for code, where, _ in found) == [
        ("E104", "forge.yaml:2"),
        ("E104", "forge.yaml:3"),
        ("E105", "forge.yaml:1"),
        ("E105", "forge.yaml:4"),
    ]


@pytest.mark.parametrize(("text", "where"), [("a: [", "forge.yaml:1:5"), ("- a\n- b", "forge.yaml:1")])
def test_what_is_no_settings_file_is_malformed(load: Load, text: str, where: str) -> None:
    [(code, place, _)] = refusals(load, text)
    assert code == "E103"
    assert place is not None
    assert place.startswith(where.rsplit(":", 1)[0])


def test_a_section_left_empty_is_the_default(load: Load) -> None:
    assert load("owners:\nspark:\n").spark["master"] == "local[*]"


@pytest.mark.parametrize(
    "text",
    [
        "database: postgresql+psycopg://forge:hunter2@db/forge",
        "database: postgresql+psycopg://forge@db/forge?password=hunter2",
        "catalog: {type: sql, uri: 'postgresql://u:hunter2@db/c'}",
        "catalog: {type: rest, uri: 'http://x', properties: {client-secret: hunter2}}",
        "spark: {spark.hadoop.fs.s3a.secret.key: hunter2}",
        "spark: {spark.ssl.keyPassword: hunter2}",
        "spark: {spark.sql.catalog.crm.url: 'jdbc:sqlserver://db;user=a;password=hunter2'}",
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(load: Load, text: str) -> None:
    [(code, place, said)] = refusals(load, f"project: shop\n{text}")
    assert (code, place) == ("E106", "forge.yaml:2")
    assert "env:" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "text",
    [
        "database: postgresql+psycopg://forge@db:5432/forge",
        "spark: {spark.hadoop.fs.s3a.aws.credentials.provider: com.example.Provider}",
        "spark: {spark.hadoop.fs.s3a.secret.key: 'env:S3_SECRET'}",
    ],
)
def test_what_is_no_secret_is_accepted(load: Load, text: str) -> None:
    load(text)


@pytest.mark.parametrize(
    ("text", "environ"),
    [
        ("", {"FORGE_DATABASE_URL": "postgresql+psycopg://a:b@db/forge"}),
        ("database: env:FORGE_DATABASE_URL", {"FORGE_DATABASE_URL": "postgresql+psycopg://a:b@db/forge"}),
        ("database: env:MY_URL", {"MY_URL": "postgresql+psycopg://a:b@db/forge"}),
    ],
)
def test_the_address_of_the_database_comes_from_the_environment(load: Load, text: str, environ: dict[str, str]) -> None:
    assert load(text, environ).database_url() == "postgresql+psycopg://a:b@db/forge"


def test_a_reference_to_nothing_fails_when_it_is_needed(load: Load) -> None:
    settings = load("database: env:MY_URL")
    with pytest.raises(ForgeError) as caught:
        settings.database_url()
    assert caught.value.code == "E107"


def test_secrets_of_spark_are_read_when_they_are_needed(load: Load, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from file\n", encoding="utf-8")
    text = (
        f"spark: {{spark.hadoop.fs.s3a.secret.key: 'file:{tmp_path}/key', spark.hadoop.fs.s3a.access.key: 'env:KEY'}}"
    )
    settings = load(text, {"KEY": "from variable"})
    assert settings.spark["spark.hadoop.fs.s3a.secret.key"] == "from file"
    assert settings.spark["spark.hadoop.fs.s3a.access.key"] == "from variable"
    assert "from" not in repr(settings)


@pytest.mark.parametrize(
    ("written", "path"),
    [("data/lake", "{root}/data/lake"), ("/data/lake", "/data/lake"), ("s3://bucket/lake", "s3://bucket/lake")],
)
def test_the_warehouse_is_relative_to_the_project(load: Load, root: Path, written: str, path: str) -> None:
    assert load(f"warehouse: {written}").warehouse_path() == path.format(root=root)


def test_a_relative_sqlite_file_is_in_the_project(load: Load, root: Path) -> None:
    assert load("database: sqlite:///own.db").database_url() == f"sqlite:///{root}/own.db"
    assert load("database: sqlite:////data/own.db").database_url() == "sqlite:////data/own.db"


def test_the_first_matching_owner_wins_and_the_project_goes_before_the_user(load: Load, tmp_path: Path) -> None:
    user_file = tmp_path / ".config" / "forge" / "config.yaml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text("owners: {'*': me}", encoding="utf-8")
    settings = load("owners: {marts.revenue: ada, marts.*: finance}")
    assert settings.owner_of("marts.revenue") == "ada"
    assert settings.owner_of("marts.costs") == "finance"
    assert settings.owner_of("core.orders") == "me"
    user_file.unlink()
    assert load("owners: {marts.*: finance}").owner_of("core.orders") is None


def test_the_user_is_gits_then_the_login(load: Load, root: Path, tmp_path: Path) -> None:
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LOGNAME": "login"}
    assert load("", path).user == User("login")
    git_config = tmp_path / "gitconfig"
    git_config.write_text("[user]\n  name = Ada Lovelace\n  email = ada@example.com\n", encoding="utf-8")
    user = load("", {**path, "GIT_CONFIG_GLOBAL": str(git_config)}).user
    assert str(user) == "Ada Lovelace <ada@example.com>"
    assert load("user: {name: Grace}", path).user == User("Grace")


def test_every_key_is_described() -> None:
    todo: list[type[BaseModel]] = [Keys]
    for model in todo:
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            parts = (field.annotation, *getattr(field.annotation, "__args__", ()))
            todo += [p for p in parts if isinstance(p, type) and issubclass(p, BaseModel)]


@pytest.mark.slow
def test_settings_load_without_the_heavy_libraries() -> None:
    heavy = "{'pyspark', 'pyiceberg', 'sqlalchemy', 'pandas', 'pyarrow', 'sqlglot'}"
    code = f"import sys, forge.settings; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
