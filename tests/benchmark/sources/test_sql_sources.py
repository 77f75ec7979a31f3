"""The readers of SQL data sets: on small folders in upstream's layout, and on the real ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import needs
from truespec.benchmark.sources.polygon import read_question
from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.domains.sql.schema import read_schema
from truespec.verdict import UsageError

SCHEMA = {
    "Problem Number": "7",
    "Tables": [
        {"TableName": "Parent", "PKeys": [{"Name": "id", "Type": "int"}], "FKeys": [], "Others": []},
        {
            "TableName": "Child",
            "PKeys": [{"Name": "a", "Type": "int"}, {"Name": "b", "Type": "date"}],
            "FKeys": [{"FName": "p", "PName": "id", "PTable": "0"}],
            "Others": [
                {"Name": "kind", "Type": "enum,x,<,null"},
                {"Name": "n", "Type": "numeric"},
                {"Name": "m", "Type": "int"},
                {"Name": "s", "Type": "varchar"},
            ],
        },
    ],
    "Tuples": [],
}
CONSTRAINTS = """row_dep: unique(Parent.id);
         unique(child.a, Child.b);
         unique(Child.m)
col_val: Child.n >= 0;
         Child.m<-[1,5];
         Child.s <- {'u','v'};
         Child.s != NULL;
         Child.kind | varchar+null;
         Child.m -> {2}
col_dep: Child.m != Child.a;
         Child.kind='x' => Child.s!='null';
         Child.p = Parent.id => Child.m > 1
"""


@pytest.fixture
def polygon(tmp_path: Path) -> Path:
    base = tmp_path / "benchmarks" / "leetcode"
    for name in ("schemas", "constraints", "groundtruths", "verieql_queries"):
        (base / name).mkdir(parents=True)
    (base / "schemas" / "7.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (base / "constraints" / "7.yml").write_text(CONSTRAINTS, encoding="utf-8")
    (base / "groundtruths" / "7.csv").write_text(
        "qid,mysql_groundtruth\n7,SELECT id FROM Parent\n7,SELECT p.id FROM Parent p\n", encoding="utf-8"
    )
    (base / "groundtruths" / "8.csv").write_text("qid,mysql_groundtruth\n8,SELECT 1\n", encoding="utf-8")
    (base / "verieql_queries" / "7.csv").write_text(
        "qid,mysql_can_execute?,mysql_correct?,mysql_query\n"
        '0,Y,N,"SELECT ID FROM PARENT WHERE 1 &LT; 2"\n0,Y,Y,\n',
        encoding="utf-8",
    )
    return tmp_path


def test_polygons_constraints_become_ddl_or_are_named(polygon: Path) -> None:
    base = polygon / "benchmarks" / "leetcode"
    question = read_question(base / "schemas" / "7.json", base / "constraints" / "7.yml")
    child = read_schema(question.ddl, "mysql").table("Child")
    assert child.primary_key == ("a", "b")
    assert child.uniques == (("m",),)
    assert [key.table for key in child.foreign_keys] == ["Parent"]
    assert child.column("kind").type.values == ("x", "<")
    assert [column.name for column in child.columns if not column.nullable] == ["a", "b", "s"]
    assert len(child.checks) == 5
    assert question.left_out == ["Child.m -> {2}", "Child.p = Parent.id => Child.m > 1"]


def test_polygon_yields_references_and_submissions(polygon: Path) -> None:
    found = list(load("polygon")(polygon))
    pairs = [record for record in found if isinstance(record, PairRecord)]
    assert [pair.id for pair in pairs] == ["polygon-7-reference-2", "polygon-7-1"]
    assert pairs[1].candidate == "SELECT ID FROM PARENT WHERE 1 < 2"
    assert pairs[1].upstream_label == {"executes": "Y", "correct": "N"}
    assert Counter(type(record).__name__ for record in found)["Skipped"] == 3


@pytest.mark.parametrize("name", ["polygon", "verieql", "sqlsolver", "spider", "judge-sql", "scythe"])
def test_a_folder_without_the_data_set_is_a_usage_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        list(load(name)(tmp_path))


def test_verieql_takes_upstreams_repaired_texts(tmp_path: Path) -> None:
    record = {
        "index": 3,
        "schema": {"R": {"X": "INT"}, "S": {"X": None, "Y": "VARCHAR"}},
        "constraint": [
            {"primary": [{"value": "R__X"}]},
            {"foreign": [{"value": "S__X"}, {"value": "R__X"}]},
            {"not_null": {"value": "S__Y"}},
            {"inc": {"value": "R__X"}},
        ],
        "pair": ["SELECT * FROM (R UNION ALL R) Q", "SELECT $f0 FROM R"],
    }
    verdict = {"index": 3, "pair": ["SELECT X FROM R", "SELECT $f0 FROM R"], "states": ["EQU", "EQU", "TMO"]}
    symbolic = {**record, "index": 4, "has-symbolic-predicates": True}
    lines = [json.dumps(record), json.dumps(symbolic), "{broken"]
    (tmp_path / "literature.jsonlines").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "literature.out").write_text(json.dumps(verdict), encoding="utf-8")
    pair, *skipped = load("verieql")(tmp_path)
    assert isinstance(pair, PairRecord)
    assert (pair.oracle, pair.candidate) == ("SELECT X FROM R", "SELECT `$f0` FROM R")
    assert pair.upstream_label == {"verdict": "TMO", "bound": 2, "refuted": False}
    assert pair.extra["not_in_ddl"] == ['{"inc": {"value": "R__X"}}']
    schema = read_schema(str(pair.context["schema"]), "mysql")
    assert schema.table("S").foreign_keys[0].table == "R"
    assert not schema.table("S").column("Y").nullable
    assert all(isinstance(record, Skipped) for record in skipped)
    assert len(skipped) == 2


def test_judged_pairs_get_the_schema_that_their_queries_tell(tmp_path: Path) -> None:
    (tmp_path / "equi_join.csv").write_text(
        "SQL_Statement,Equivalent_Queries,Original,gpt4\n"
        "\"SELECT a.x FROM t AS a, u AS b WHERE a.id = b.tid AND b.name LIKE 'z%';\","
        '"SELECT a.x FROM t a JOIN u b ON a.id = b.tid AND b.name = b.nick",YES ,NO\n'
        "SELECT x FROM t,SELECT y FROM t JOIN u ON 1 = 1,NO,NO\n"
        "SELECT TOP 3 [x] FROM t,SELECT x FROM t,NO,YES\n",
        encoding="utf-8",
    )
    pair, *skipped = load("judge-sql")(tmp_path)
    assert isinstance(pair, PairRecord)
    schema = read_schema(str(pair.context["schema"]), "postgres")
    assert {table.name: [column.name for column in table.columns] for table in schema.tables} == {
        "t": ["x", "id"],
        "u": ["tid", "name", "nick"],
    }
    assert schema.table("u").column("nick").type.kind.value == "text"
    assert len(skipped) == 2


REAL = {
    "polygon": ("sql/polygon_leetcode", 42, 17_000),
    "verieql": ("sql/verieql", 0, 450),
    "sqlsolver": ("sql/sqlsolver", 0, 370),
    "spider": ("sql/spider_llm", 1_000, 5_100),
    "judge-sql": ("sql/llm_judge_equiv", 0, 180),
    "scythe": ("sql/scythe", 40, 0),
}


@pytest.mark.parametrize("name", REAL)
def test_the_real_set_is_read_and_every_schema_with_it(name: str) -> None:
    folder, tasks, pairs = REAL[name]
    found = list(load(name)(needs.sources(folder)))
    kinds = Counter(type(record).__name__ for record in found)
    assert kinds["Task"] >= tasks
    assert kinds["PairRecord"] >= pairs
    kept = [record for record in found if isinstance(record, Task | PairRecord)]
    assert len({record.id for record in kept}) == len(kept)
    for ddl, dialect in {(str(r.context["schema"]), str(r.context["dialect"])) for r in kept}:
        assert read_schema(ddl, dialect).tables
