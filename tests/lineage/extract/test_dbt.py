"""dbt projects, from their files and from what dbt compiled."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from forge.lineage.edge import Extraction, Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.dbt import claims_of, dbt_files, is_read_by_dbt, read_dbt, read_projects
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import OutputKind, Program
from forge.lineage.kind import EdgeType

HERE = Path(__file__).parent / "dbt_project"
FILES = {
    path.relative_to(HERE).as_posix(): path.read_text()
    for path in sorted(HERE.rglob("*"))
    if path.is_file() and path.name != "manifest.json"
}
MANIFEST = (HERE / "manifest.json").read_text()  # as dbt 1.10 with duckdb wrote it, shortened to what is read
COMPILED = {**FILES, "target/manifest.json": MANIFEST}
DUCKDB = TableCatalog(db="dev")


def read(files: dict[str, str], **more: str) -> tuple[Program, ...]:
    with_project = {"dbt_project.yml": "name: shop\nmodels: {shop: {+materialized: table}}", **files}
    return read_dbt({path: dedent(text) for path, text in with_project.items()}, TableCatalog(), **more)


def edges(programs: tuple[Program, ...]) -> set[str]:
    return {f"{edge.source} -> {edge.target} {edge.transformation}" for edge in flatten(programs).edges}


def gaps(programs: tuple[Program, ...]) -> list[Gap]:
    return list(flatten(programs).gaps)


def of(files: dict[str, str]) -> Extraction:
    return flatten(read_dbt(files, DUCKDB, dialect="duckdb"))


def test_rendering_gives_what_dbt_compiles() -> None:
    mine, theirs = of(FILES), of(COMPILED)
    assert not mine.gaps
    assert mine == theirs
    assert [(edge.file, edge.line) for edge in mine.edges] == [(edge.file, edge.line) for edge in theirs.edges]
    assert len(mine.edges) == 33


def test_a_project_of_models_seeds_snapshots_and_ephemeral_models() -> None:
    found = of(FILES)
    direct = {f"{edge.source} -> {edge.target} {edge.transformation}" for edge in found.edges}
    assert direct >= {
        "dev.raw.deliveries.grams -> dev.main_staging.stg_deliveries.kilos transformation",
        "dev.raw.growers_v3.mail -> dev.main_staging.stg_growers.mail_hash transformation",
        "dev.main.crops.code -> dev.main_staging.stg_crops.crop identity",
        "dev.main_staging.stg_crops.kind -> dev.main.grower_kinds.leaf_kilos aggregation",
        "dev.main_staging.stg_deliveries.kilos -> dev.main_reports.heavy_growers.most aggregation",
        "dev.main_staging.stg_growers.mail_hash -> dev.main_reports.heavy_growers.mail_hash identity",
        "dev.raw.growers_v3.changed_at -> dev.history.growers_history.dbt_valid_from identity",
        "dev.raw.growers_v3.grower_id -> dev.history.growers_history.dbt_scd_id transformation",
    }
    assert [edge.masking for edge in found.edges if edge.target.column in ("mail_hash", "dbt_scd_id")].count(True) == 3
    indirect = {f"{edge.source} -> {edge.target} {edge.subtype}" for edge in found.indirect}
    assert "dev.main_staging.stg_deliveries.kilos -> dev.main_reports.heavy_growers filter" in indirect
    # only in the text for a later run of the incremental model
    assert "dev.main_staging.stg_deliveries.arrived_at -> dev.main.daily filter" in indirect


def test_each_model_is_at_its_file_and_line() -> None:
    programs = read_dbt(FILES, DUCKDB, dialect="duckdb")
    made = {step.target: (step.file, step.line, step.made) for program in programs for step in program.steps}
    assert made["dev.main.daily"] == ("models/marts/harvest_daily.sql", 9, OutputKind.TABLE)
    assert made["dev.main_staging.stg_growers"] == ("models/staging/stg_growers.sql", 1, OutputKind.VIEW)
    assert made["dev.history.growers_history"] == ("snapshots/growers_history.sql", 10, OutputKind.TABLE)
    assert all(program.understood == program.statements for program in programs)


def test_definitions_carry_the_types_that_are_declared() -> None:
    found = {one.name: one for program in read_dbt(FILES, DUCKDB, dialect="duckdb") for one in program.definitions}
    assert found["dev.main.daily"].types == {"day": "date", "kilos": "double", "crates": ""}
    assert found["dev.main.daily"].kind == "physical"
    assert found["dev.main_staging.stg_growers"].kind == "view"
    assert found["raw.growers_v3"].file == "models/staging/sources.yml"
    assert found["main.crops"].names == ("code", "title", "kind")
    assert found["dev.history.growers_history"].names[-1] == "dbt_valid_to"


def test_a_model_that_changed_since_it_was_compiled_is_read_as_it_is() -> None:
    changed = {**COMPILED, "models/staging/stg_growers.sql": "select mail as post from {{ source('farm', 'growers') }}"}
    found = flatten(read_dbt(changed, DUCKDB, dialect="duckdb"))
    assert "dev.raw.growers_v3.mail -> dev.main_staging.stg_growers.post" in {
        f"{edge.source} -> {edge.target}" for edge in found.edges
    }
    assert (
        Gap(
            "models/staging/stg_growers.sql", 1, "the file was changed after dbt compiled it, and was read as it is now"
        )
        in found.gaps
    )


def test_a_model_whose_file_is_gone_is_gone_and_a_new_one_is_read() -> None:
    files = {path: text for path, text in COMPILED.items() if path != "models/marts/heavy_growers.sql"}
    files["models/marts/crop_names.sql"] = "select title from {{ ref('stg_crops') }}"
    targets = {str(edge.target) for edge in of(files).edges}
    assert "dev.main.crop_names.title" in targets
    assert not any("heavy_growers" in target for target in targets)


def test_a_manifest_without_compiled_code_still_names_the_relations() -> None:
    manifest = json.loads(MANIFEST)
    for node in manifest["nodes"].values():
        node.pop("compiled_code", None)
        node["schema"] = node["schema"].replace("main", "prod")
    found = flatten(read_dbt({**FILES, "target/manifest.json": json.dumps(manifest)}, TableCatalog(), dialect="duckdb"))
    assert "dev.prod.daily" in {edge.target for edge in found.indirect}
    assert not found.gaps


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"nodes": 3}', '{"nodes": {"model.x": 3}}', "[" * 100_000])
def test_a_broken_manifest_is_said_and_the_files_are_read(text: str) -> None:
    found = flatten(read_dbt({**FILES, "target/manifest.json": text}, DUCKDB, dialect="duckdb"))
    assert len(found.edges) == 33
    assert [gap.place for gap in found.gaps] == ([] if "model.x" in text else ["target/manifest.json"])


def test_the_catalog_tells_the_columns_that_are_there() -> None:
    files = {
        "models/a.sql": "select * from {{ source('crm', 'people') }}",
        "models/s.yml": "sources: [{name: crm, tables: [{name: people}]}]",
    }
    source = "source.shop.crm.people"
    node = {"resource_type": "source", "package_name": "shop", "schema": "crm", "name": "people"}
    manifest = {"metadata": {"project_name": "shop"}, "nodes": {}, "sources": {source: node}}
    columns = {"NAME": {"name": "NAME", "type": "TEXT", "index": 2}, "ID": {"name": "ID", "type": "NUMBER", "index": 1}}
    catalog = {"nodes": {}, "sources": {source: {"columns": columns}}}
    assert edges(read(files)) == set()
    compiled = {"target/manifest.json": json.dumps(manifest), "target/catalog.json": json.dumps(catalog)}
    assert edges(read({**files, **compiled})) == {
        "crm.people.id -> main.a.id identity",
        "crm.people.name -> main.a.name identity",
    }


def test_exposures_consume_tables() -> None:
    for files in (FILES, COMPILED):
        (board,) = read_projects(files, DUCKDB, dialect="duckdb").exposures
        assert (board.name, board.type, board.uses) == (
            "morning_board",
            "dashboard",
            ("dev.main.daily", "dev.main.grower_kinds"),
        )
        claims, nodes = claims_of((board,))
        assert [(claim.source.id, claim.target.id, claim.kind.type) for claim in claims] == [
            ("dev.main.daily", "dashboard:morning_board", EdgeType.CONSUMES),
            ("dev.main.grower_kinds", "dashboard:morning_board", EdgeType.CONSUMES),
        ]
        assert nodes[0].details["label"] == "The board at the gate"


SOURCE = {
    "models/s.yml": """
        sources:
          - name: raw
            tables:
              - name: t
                columns: [{name: a, data_type: int}, {name: b, data_type: int}]
              - name: u
                columns: [{name: a, data_type: int}, {name: c, data_type: int}]
        """
}


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("", "main.m"),
        ("schema='x'", "main_x.m"),
        ("alias='n'", "main.n"),
        ("database='d', schema='x', alias='n'", "d.main_x.n"),
    ],
)
def test_names_follow_dbt(config: str, name: str) -> None:
    files = {**SOURCE, "models/m.sql": f"{{{{ config({config}) }}}} select a from {{{{ source('raw', 't') }}}}"}
    assert edges(read(files)) == {f"raw.t.a -> {name}.a identity"}


def test_the_default_schema_is_that_of_the_target() -> None:
    files = {**SOURCE, "models/m.sql": "{{ config(schema='x') }} select a from {{ source('raw', 't') }}"}
    assert edges(read(files, default_schema="lake")) == {"raw.t.a -> lake_x.m.a identity"}


def test_a_project_may_name_schemas_and_tables_by_its_own_macros() -> None:
    macros = """
        {% macro generate_schema_name(custom_schema_name, node) -%}
            {%- if custom_schema_name is none -%} {{ target.schema }}
            {%- else -%} {{ custom_schema_name | trim }} {%- endif -%}
        {%- endmacro %}
        {% macro generate_alias_name(custom_alias_name=none, node=none) -%}
            {{ node.config.materialized }}_{{ default__generate_alias_name(custom_alias_name, node) }}
        {%- endmacro %}
        """
    files = {**SOURCE, "macros/names.sql": macros}
    files["models/m.sql"] = "{{ config(schema='x') }} select a from {{ source('raw', 't') }}"
    assert edges(read(files)) == {"raw.t.a -> x.table_m.a identity"}


def test_yaml_may_hold_templates_and_folders_may_have_settings() -> None:
    project = """
        name: shop
        vars: {where: lake}
        models:
          shop:
            +materialized: table
            deep:
              +schema: "{{ var('where') }}"
              m: {alias: other}
        """
    files = {**SOURCE, "dbt_project.yml": project, "models/deep/m.sql": "select a from {{ source('raw', 't') }}"}
    assert edges(read(files)) == {"raw.t.a -> main_lake.other.a identity"}


def test_models_are_read_in_the_order_in_which_they_need_each_other() -> None:
    files = {
        **SOURCE,
        "models/a_last.sql": "select * from {{ ref('b_middle') }}",
        "models/b_middle.sql": "select * from {{ ref('c_first') }}",
        "models/c_first.sql": "select a from {{ source('raw', 't') }}",
    }
    assert edges(read(files)) == {
        "raw.t.a -> main.c_first.a identity",
        "main.c_first.a -> main.b_middle.a identity",
        "main.b_middle.a -> main.a_last.a identity",
    }


def test_models_in_a_circle_are_still_read() -> None:
    files = {"models/a.sql": "select x from {{ ref('b') }}", "models/b.sql": "select x from {{ ref('a') }}"}
    assert edges(read(files)) == {"main.a.x -> main.b.x identity", "main.b.x -> main.a.x identity"}


def test_versions_of_a_model() -> None:
    files = {
        **SOURCE,
        "models/m.yml": "models: [{name: m, latest_version: 2, versions: [{v: 1}, {v: 2}, {v: 3, defined_in: next}]}]",
        "models/m_v1.sql": "select a as x1 from {{ source('raw', 't') }}",
        "models/m_v2.sql": "select a as x2 from {{ source('raw', 't') }}",
        "models/next.sql": "select a as x3 from {{ source('raw', 't') }}",
        "models/r.sql": "select * from {{ ref('m') }}",
        "models/s.sql": "select * from {{ ref('m', v=3) }}",
    }
    found = edges(read(files))
    assert "main.m_v2.x2 -> main.r.x2 identity" in found
    assert "main.m_v3.x3 -> main.s.x3 identity" in found


def test_both_sides_of_a_condition_on_the_target_are_read() -> None:
    text = "select a from {{ source('raw', 't') }} {% if target.name == 'dev' %} where b > 1 {% endif %}"
    found = flatten(read({**SOURCE, "models/m.sql": text}))
    assert [f"{edge.source} {edge.subtype}" for edge in found.indirect] == ["raw.t.b filter"]


def test_packages_and_dispatch() -> None:
    files = {
        **SOURCE,
        "dbt_packages/tools/dbt_project.yml": "name: tools",
        "dbt_packages/tools/macros/m.sql": """
            {% macro twice(x) %}{{ return(adapter.dispatch('twice', 'tools')(x)) }}{% endmacro %}
            {% macro default__twice(x) %}never({{ x }}){% endmacro %}
            {% macro spark__twice(x) %}{{ helper(x) }} * 2{% endmacro %}
            {% macro helper(x) %}abs({{ x }}){% endmacro %}
            """,
        "dbt_packages/tools/models/inner.sql": "select a from {{ source('raw', 'missing') }}",
        "models/m.sql": "select {{ tools.twice('a') }} as x from {{ source('raw', 't') }}",
        "models/n.sql": "select a from {{ ref('tools', 'inner') }}",
    }
    programs = read(files)
    assert edges(programs) >= {
        "raw.t.a -> main.m.x transformation",
        "main.inner.a -> main.n.a identity",
    }
    assert [(gap.place, gap.reason) for gap in gaps(programs)] == [
        (
            "dbt_packages/tools/models/inner.sql",
            "source('raw', 'missing') is declared in no file of the project",
        )
    ]


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("{{ dbt_utils.star(source('raw', 't')) }}", {"a identity", "b identity"}),
        ("{{ dbt_utils.star(from=source('raw', 't'), except=['B']) }}", {"a identity"}),
        ("{{ dbt_utils.star(source('raw', 't'), prefix='p_') }}", {"p_a identity", "p_b identity"}),
        ("{{ dbt_utils.generate_surrogate_key(['a']) }} as k", {"k conditional"}),
        ("{{ dbt_utils.pivot('a', ['x', 'y']) }}", {"x aggregation", "y aggregation"}),
        ("{{ dbt_utils.safe_divide('a', '10') }} as k", {"k transformation"}),
        ("{{ dbt.dateadd('day', 1, 'a') }} as k", {"k transformation"}),
        ("{{ datediff('a', 'a', 'day') }} as k", {"k transformation"}),
        ("{{ dbt.safe_cast('a', api.Column.translate_type('string')) }} as k", {"k transformation"}),
        ("cast(a as {{ dbt.type_string() }}) as k", {"k transformation"}),
        ("{{ dbt.concat(['a', \"'x'\"]) }} as k", {"k transformation"}),
        ("max(a) as k, {{ dbt.any_value('a') }} as l", {"k aggregation", "l aggregation"}),
    ],
)
def test_common_macros_are_known_without_their_package(select: str, expected: set[str]) -> None:
    programs = read({**SOURCE, "models/m.sql": f"select {select} from {{{{ source('raw', 't') }}}}"})
    found = {
        f"{edge.target.column} {edge.transformation}"
        for edge in flatten(programs).edges
        if edge.source.column == "a" or "b" in edge.target.column
    }
    assert found == expected
    assert not gaps(programs)


def test_union_relations_takes_the_columns_of_all() -> None:
    text = "{{ dbt_utils.union_relations([source('raw', 't'), source('raw', 'u')]) }}"
    found = {f"{edge.source} -> {edge.target.column}" for edge in flatten(read({**SOURCE, "models/m.sql": text})).edges}
    assert found == {"raw.t.a -> a", "raw.u.a -> a", "raw.t.b -> b", "raw.u.c -> c"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("select {{ dates.week('a') }} as w, a from {{ source('raw', 't') }}", "the macro dates.week is not known"),
        ("{% set q = run_query('select 1') %}select a from {{ source('raw', 't') }}", "the model asks the database"),
        (
            "{% for x in dbt_utils.get_column_values(source('raw', 't'), 'b') %}{% endfor %}"
            "select a from {{ source('raw', 't') }}",
            "dbt_utils.get_column_values asks the database",
        ),
        ("select a from {{ source('raw', 't') }} join {{ ref('gone') }} using (a)", "ref('gone') names no model"),
        ("select a from {{ source('raw', 't') }} where {% if %}", "the template cannot be read"),
        ("select a from {{ source('raw', 't') }} where a = {{ 1 / 0 }}", "the template cannot be rendered"),
        ("select a from {{ source('raw', 't') }} where ((", "it could not be parsed"),
        ("{{ exceptions.raise_compiler_error('no') }} {{ source('raw', 't') }}", "the template cannot be rendered: no"),
    ],
)
def test_what_is_not_understood_is_said_and_the_table_is_still_known(text: str, reason: str) -> None:
    programs = read({**SOURCE, "models/m.sql": text})
    found = flatten(programs)
    assert any(reason in gap.reason for gap in found.gaps), found.gaps
    assert all(gap.place == "models/m.sql" for gap in found.gaps)
    assert ("raw.t", "main.m") in {(edge.source, edge.target) for edge in found.table_edges}


def test_a_python_model_is_known_by_what_it_reads() -> None:
    text = "def model(dbt, session):\n    dbt.config(alias='p')\n    return dbt.source('raw', 't').join(dbt.ref('m'))"
    files = {**SOURCE, "models/m.sql": "select a from {{ source('raw', 't') }}", "models/p.py": text}
    found = flatten(read(files))
    assert {(edge.source, edge.target) for edge in found.table_edges} == {
        ("raw.t", "main.m"),
        ("raw.t", "main.p"),
        ("main.m", "main.p"),
    }
    assert [gap.reason for gap in found.gaps] == [
        "a model in Python: it is known what it reads, not what becomes of the columns"
    ]


def test_columns_that_only_comment_are_not_all_there_are() -> None:
    text = "models: [{name: m, columns: [{name: a}]}]"
    files = {"models/m.yml": text, "models/m.sql": "select * from x.y", "models/n.sql": "select b from {{ ref('m') }}"}
    assert "main.m.b -> main.n.b identity" in edges(read(files))


def test_a_snapshot_declared_in_yaml() -> None:
    text = """
        snapshots:
          - name: t_history
            relation: source('raw', 't')
            config: {schema: past, unique_key: a, strategy: timestamp, updated_at: b}
        """
    code = {"raw_code": "select * from {{ source('raw', 't') }}", "compiled_code": 'select * from "raw"."t"'}
    node: dict[str, object] = {
        "resource_type": "snapshot",
        "package_name": "shop",
        "name": "t_history",
        "schema": "main_past",
        **code,
    }
    node["original_file_path"] = "snapshots/s.yml"
    node["config"] = {"unique_key": "a", "updated_at": "b"}
    manifest = {"metadata": {"project_name": "shop"}, "nodes": {"snapshot.shop.t_history": node}}
    files = {**SOURCE, "snapshots/s.yml": text}
    compiled = read({**files, "target/manifest.json": json.dumps(manifest)}, dialect="duckdb")
    found = edges(read(files))
    assert edges(compiled) == found
    assert gaps(compiled) == []
    assert "raw.t.b -> main_past.t_history.dbt_valid_from identity" in found
    assert "raw.t.a -> main_past.t_history.a identity" in found


def test_a_disabled_model_is_none() -> None:
    files = {**SOURCE, "models/m.sql": "{{ config(enabled=false) }} select a from {{ source('raw', 't') }}"}
    assert edges(read(files)) == set()


def test_tests_analyses_and_compiled_files_are_no_models() -> None:
    query = "select a from {{ source('raw', 't') }}"
    files = {**SOURCE, "tests/x.sql": query, "analyses/y.sql": query, "target/compiled/shop/models/m.sql": query}
    assert edges(read(files)) == set()


@pytest.mark.parametrize("text", ["", ":", "a: [", "3", "name: [x]", "models: 3\nvars: 4"])
def test_a_broken_project_file_is_no_crash(text: str) -> None:
    files = {**SOURCE, "dbt_project.yml": text, "models/m.sql": "select a from {{ source('raw', 't') }}"}
    assert edges(read(files)) == {"raw.t.a -> main.m.a identity"}


def test_broken_yaml_is_said_at_its_line() -> None:
    (gap,) = gaps(read({"models/s.yml": "sources:\n  - name: [\n"}))
    assert (gap.place, gap.line) == ("models/s.yml", 3)


def test_several_projects_in_folders_below() -> None:
    files = {f"{folder}/{path}": text for folder in ("one", "two/deep") for path, text in FILES.items()}
    found = read_projects(files, TableCatalog(), dialect="duckdb")
    assert {program.file.split("/")[0] for program in found.programs} == {"one", "two"}
    assert found.files == frozenset(files)


def test_which_files_belong_to_a_project() -> None:
    assert dbt_files(["a/dbt_project.yml", "a/models/x.sql", "b/x.sql"]) == {"a/dbt_project.yml", "a/models/x.sql"}
    assert dbt_files(["b/x.sql"]) == frozenset()
    assert is_read_by_dbt("a/target/manifest.json")
    assert not is_read_by_dbt("a/target/compiled/x.sql")


FROM_T = "from {{ source('raw', 't') }} t"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"select t.a, t.b {FROM_T} {{{{ pkg.join_it('t') }}}}", {"a <- a", "b <- b"}),
        (f"select a, sum(b) {{{{ pkg.window() }}}} as n {FROM_T}", {"a <- a", "n <- b"}),
        (f"select a, b {FROM_T} where {{{{ mine('a') }}}} and b > 1", {"a <- a", "b <- b"}),
        (f"select {{{{ pkg.key(['a']) }}}} as k, b {FROM_T}", {"b <- b"}),
        (f"select a as {{{{ pkg.name('a') }}}}, b {FROM_T}", {"${pkg_name} <- a", "b <- b"}),
        (f"select cast(a as {{{{ pkg.money() }}}}) as x, b::{{{{ pkg.money() }}}} as y {FROM_T}", {"x <- a", "y <- b"}),
        (f"select a, b {FROM_T} union all {{{{ pkg.more() }}}}", {"a <- a", "b <- b"}),
        (f"select {{{{ adapter.dispatch('nope', 'pkg')('a') }}}} as x, b {FROM_T}", {"b <- b"}),
        (f"{{% call pkg.wrap() %}}select a, b {FROM_T}{{% endcall %}}", {"a <- a", "b <- b"}),
        (f"select {{{{ broken('a') }}}} as x, b {FROM_T}", {"b <- b"}),
        (f"select {{{{ refusing('a') }}}} as x, b {FROM_T}", {"b <- b"}),
        (
            f"select case when {{{{ pkg.is_x('a') }}}} then b else {{{{ pkg.y() }}}} end as x, a {FROM_T}",
            {"x <- b", "a <- a"},
        ),
    ],
)
def test_a_macro_that_is_not_known_leaves_a_hole_and_the_other_columns(text: str, expected: set[str]) -> None:
    macros = """
        {% macro broken(x) %}{{ 1 / 0 }}{% endmacro %}
        {% macro refusing(x) %}{{ exceptions.raise_compiler_error('no such ' ~ x) }}{% endmacro %}
    """
    found = flatten(read({**SOURCE, "macros/m.sql": macros, "models/m.sql": text}))
    assert {f"{edge.target.column} <- {edge.source.column}" for edge in found.edges} == expected
    assert any("and its call was left out" in gap.reason for gap in found.gaps), found.gaps


def test_why_a_macro_gives_no_text_is_told() -> None:
    macros = "{% macro broken(x) %}{{ 1 / 0 }}{% endmacro %}"
    text = "select {{ broken('a') }} as x, b from {{ source('raw', 't') }}"
    found = read({**SOURCE, "macros/m.sql": macros, "models/m.sql": text})
    assert [gap.reason for gap in gaps(found)] == [
        "the macro broken gives no text (division by zero), and its call was left out"
    ]
