"""ARFF and KEEL files."""

import numpy as np
import pytest
from adding import added, lines, varied, write

from mccvc.datasets.errors import DataError
from mccvc.datasets.inspection import describe
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec, Layout

HEADER = """% comments
  % before it
@RELATION 'my data'
@ATTRIBUTE "first name" NUMERIC
@attribute\t'second ''one' {'a b', "c,d", e}   % of three
@Attribute third INTEGER
@attribute when date "yyyy-MM-dd"
@attribute y real

@DATA
"""
HEADER = HEADER.replace("'second ''one'", r"'second \'one\''")


def arff(tmp_path, text, name="table.arff"):
    return write(tmp_path / name, text)


def test_quotes_comments_and_types(tmp_path):
    kinds = ["'a b'", '"c,d"', "e"]
    body = lines(
        lambda i: (
            f"{varied(i)}, {kinds[i % 3]}, {i}.5, '2020-01-0{i % 9 + 1}', {i % 5}\n% more\n \t"
        )
    )
    data = added(arff(tmp_path, HEADER + body))
    assert list(data.frame) == ["first name", "second 'one'", "third", "when", "y"]
    assert data.frame["second 'one'"].tolist()[:3] == ["a b", "c,d", "e"]
    assert data.frame["third"].tolist() == [i + 0.5 for i in range(24)]
    assert data.spec.layout is Layout.ARFF
    assert len(data.table) == 24


@pytest.mark.parametrize("separator", ["\t", "  ", ",\t", " , "])
def test_separators(tmp_path, separator):
    header = "@relation t\n@attribute\ta\tnumeric\n\t@attribute b {'u v',w}\n@attribute y numeric\n"
    row = lambda i: separator.join([varied(i), ["'u v'", "w"][i % 2], varied(i * i)])  # noqa: E731
    data = added(arff(tmp_path, f"{header}@data\n{lines(row)}"))
    assert data.frame["b"].tolist()[:2] == ["u v", "w"]
    assert data.frame["y"].tolist() == [float(varied(i * i)) for i in range(24)]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_encodings(tmp_path, encoding):
    text = "@relation größe\n@attribute größe numeric\n@attribute 'straße' {'Köln 1',Bonn}\n"
    towns = ["Bonn", "'Köln 1'"]
    body = lines(lambda i: f"{varied(i)},{towns[i % 2]}")
    path = write(tmp_path / "t.arff", f"{text}@data\n{body}", encoding)
    data = added(path)
    assert list(data.frame) == ["größe", "straße"]
    assert data.frame["straße"].tolist()[:2] == ["Bonn", "Köln 1"]


def test_sparse_rows(tmp_path):
    header = "@relation s\n@attribute a numeric\n@attribute k {p,q}\n@attribute y numeric\n@data\n"
    path = arff(tmp_path, header + "{0 1.5, 2 3}\n{1 q, 2 4}\n{}\n{0 2,1 q}\n{2 ?}\n")
    frame = parse(path, DatasetSpec(target="y", layout=Layout.ARFF, missing="drop"))
    assert frame["a"].tolist() == [1.5, 0, 0, 2, 0]
    assert frame["k"].tolist() == ["p", "q", "p", "q", "p"]
    np.testing.assert_array_equal(frame["y"], [3, 4, 0, 0, np.nan])
    assert added(path).spec.one_hot == ("k",)


@pytest.mark.parametrize(
    ("outputs", "target"), [("@outputs b", "b"), ("@output  a, y", "a"), ("", "y")]
)
def test_keel(tmp_path, outputs, target):
    header = (
        "@relation k\n@attribute a real[0.0,15.0]\n@attribute b integer [0, 500]\n"
        "@attribute kind{u, v}\n@attribute y real [0, 9]\n@inputs a, b\n"
    )
    body = lines(lambda i: f"{varied(i)}, {i * i}.000000, {'uv'[i % 2]}, {varied(i * 3)}")
    data = added(arff(tmp_path, f"{header}{outputs}\n@data\n{body}", "table.dat"))
    assert data.spec.target == target
    assert data.frame["b"].tolist() == [i * i for i in range(24)]
    older = data.spec.but(layout="keel")
    assert parse(tmp_path / "table.dat", older).equals(data.frame)


def test_question_marks_are_missing_by_definition(tmp_path):
    header = "@relation t\n@attribute a numeric\n@attribute k {u,v}\n@attribute y numeric\n@data\n"
    rows = lines(
        lambda i: f"{'?' if i == 3 else varied(i)},{'?' if i == 5 else 'uv'[i % 2]},{varied(i * i)}"
    )
    data = added(arff(tmp_path, header + rows))
    assert data.spec.missing_values == ()
    assert data.spec.missing == "drop"
    assert data.frame["k"].isna().sum() == 1
    assert len(data.table) == 22


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,2,{5}", "line 8: an instance weight, which is not read: '1,2,{5}'"),
        ("1, 2, {0.5}", "line 8: an instance weight"),
        ("1,2,3", "line 8: Bad @DATA instance format: '1,2,3'"),
        ("1", "line 8: Bad @DATA instance format: '1'"),
        ("12%,2", "line 8: Invalid numerical value: '12%,2'"),
        ("{0 1, 7 2}", "line 8: Bad @DATA instance format: '{0 1, 7 2}'"),
        ("1,'2", 'line 8: Invalid layout of the ARFF file: "1,\'2"'),
    ],
)
def test_wrong_row_is_named(tmp_path, row, said):
    header = "% a comment\n@relation t\n@attribute a numeric\n@attribute y numeric\n\n@data\n"
    path = arff(tmp_path, f"{header}1,2\n{row}\n3,4\n")
    with pytest.raises(DataError) as error:
        describe(str(path))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@relation t\n@attribute a numeric\n1,2\n", "no line @data"),
        ("@relation t\n\n@data\n1,2\n", "line 3: no line @attribute before @data"),
        ("@relation t\n@attribute a\n@data\n1\n", "line 2: expected @attribute NAME TYPE"),
        ("@relation t\n@attribute a relational\n@data\n1\n", "line 2: type 'relational'"),
        ("@relation t\n@attribute k {u,v}\n@data\nw\n", "line 4: Data value w not found"),
    ],
)
def test_wrong_header_is_named(tmp_path, text, said):
    with pytest.raises(DataError) as error:
        describe(str(arff(tmp_path, text)))
    assert said in str(error.value)
