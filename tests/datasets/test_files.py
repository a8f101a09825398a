"""Text files as people have them: each is read right, or one line says why not."""

import numpy as np
import pytest
from adding import added, comma, lines, varied, write

from mccvc.cli import main
from mccvc.datasets.errors import DataError
from mccvc.datasets.inspection import describe
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec, Layout


def refused(path):
    """The one line that says why a file gets no entry."""
    with pytest.raises(DataError) as error:
        describe(str(path))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


# --- text with gaps -------------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["", "NA", "N/A"])
def test_text_and_truth_values_with_gaps(tmp_path, gap):
    kinds, flags = ["u", "v", gap], ["True", gap, "False", "True"]
    path = write(
        tmp_path / "gaps.csv",
        "kind,flag,x,y\n"
        + lines(lambda i: f"{kinds[i % 3]},{flags[i % 4]},{varied(i)},{varied(i * i)}"),
    )
    data = added(path)
    assert data.guessed("one_hot", "missing") == {"one_hot": ["kind"], "missing": "drop"}
    assert len(data.table) == 12
    assert list(data.table) == ["flag", "x", "kind=u", "kind=v", "y"]
    np.testing.assert_array_equal(data.frame["flag"].iloc[:4], [1, np.nan, 0, 1])
    if gap:
        assert f"{gap!r} in line 4 of 'kind' is read as missing" in data.comments


def test_category_written_na_is_kept_where_the_entry_says_so(tmp_path):
    text = "alley,x,y\nNA,1,2\nGrvl,NA,3\nPave,4,7\nNA,2,1\n"
    path = write(tmp_path / "alley.csv", text)
    spec = DatasetSpec.of({"target": "y", "missing": "drop", "text_values": ["NA"]})
    frame = parse(path, spec)
    assert frame["alley"].tolist() == ["NA", "Grvl", "Pave", "NA"]
    assert frame["x"].isna().tolist() == [False, True, False, False]
    ordered = spec.but(text_values=[], ordinal={"alley": ["NA", "Grvl", "Pave"]})
    assert parse(path, ordered)["alley"].tolist() == ["NA", "Grvl", "Pave", "NA"]


# --- rows of other lengths ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '"x" "y"\n' + lines(lambda i: f'"row {i}" {varied(i)} {varied(i * i)}'),
        '"x"\t"y"\n' + lines(lambda i: f'"{i + 1}"\t{varied(i)}\t{varied(i * i)}'),
        "x,y\n" + lines(lambda i: f"r{i},{varied(i)},{varied(i * i)}"),
        ",x,y\n" + lines(lambda i: f"{i},{varied(i)},{varied(i * i)}"),
        '"";"x";"y"\n' + lines(lambda i: f'"r{i}";{comma(i)};{comma(i * i)}'),
    ],
)
def test_row_names_are_no_column(tmp_path, text):
    data = added(write(tmp_path / "r.txt", text))
    assert data.spec.row_names
    assert list(data.frame) == ["x", "y"]
    assert data.frame["y"].tolist() == [float(varied(i * i)) for i in range(24)]
    assert "row_names: " in data.comments


def test_short_header_without_row_names_is_an_error(tmp_path):
    path = write(tmp_path / "r.csv", "x,y\n" + lines(lambda i: f"r{i},{i},{varied(i)}"))
    with pytest.raises(DataError, match="line 1 has 2 names, line 2 3 cells; set row_names: true"):
        parse(path, DatasetSpec(target="y"))
    path = write(tmp_path / "once.csv", "x,y\n1,2,3\n4,5\n")
    with pytest.raises(DataError, match="line 2: 3 cells, read as csv; expected 2 columns"):
        parse(path, DatasetSpec(target="y"))


@pytest.mark.parametrize("cells", ["7,8", "7,8,9,10", "7"])
@pytest.mark.parametrize("separator", [",", ";"])
def test_row_of_another_length_is_named(tmp_path, cells, separator):
    odd = cells.replace(",", separator)
    text = "a,b,y\n" + lines(lambda i: odd if i == 9 else f"{i},{varied(i)},{varied(i * i)}")
    said = refused(write(tmp_path / "rows.csv", text.replace(",", separator)))
    assert f"line 11: {len(cells.split(','))} cells" in said
    assert "expected 3 columns, as line 1 names" in said


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y,\n" + lines(lambda i: f"{i % 7},{varied(i)},{varied(i * i)},"),
        "a;b;y;;\n" + lines(lambda i: f"{i % 7};{varied(i)};{varied(i * i)};;"),
        "a,b,y\n" + lines(lambda i: f"{i % 7},{varied(i)},{varied(i * i)},"),
        "a,b,y\n" + lines(lambda i: f"{i % 7},{varied(i)},{varied(i * i)}") + ",,\n,,\n",
    ],
)
def test_separators_at_the_end_of_lines_and_of_the_file(tmp_path, text):
    data = added(write(tmp_path / "trailing.csv", text))
    assert list(data.frame) == ["a", "b", "y"]
    assert len(data.table) == 24


# --- separators, decimal marks and headers --------------------------------------------------


@pytest.mark.parametrize(
    ("separator", "layout"),
    [("\t", "tab"), (" ", "whitespace"), ("   ", "whitespace"), (";", "semicolon"), ("|", "pipe")],
)
def test_decimal_comma_without_header(tmp_path, separator, layout):
    text = lines(lambda i: separator.join([comma(i), comma(i * i), comma(i * 3 + 1, 3)]))
    data = added(write(tmp_path / "comma.dat", text))
    assert data.guessed("layout", "decimal", "header") == {
        "layout": layout,
        "decimal": ",",
        "header": False,
    }
    assert data.frame["x3"].tolist() == [float(varied(i * 3 + 1, 3)) for i in range(24)]
    assert f"decimal: ',': by '{comma(0)}' in line 1" in data.comments


@pytest.mark.parametrize("separator", [";", "\t"])
def test_commas_in_names(tmp_path, separator):
    names = ["length, in cm", "width, (mean, in cm)", "y, target"]
    text = separator.join(names) + "\n"
    text += lines(lambda i: separator.join([comma(i), comma(i * i), comma(i * 3)]))
    data = added(write(tmp_path / "names.csv", text))
    assert list(data.frame) == names
    assert data.spec.decimal == ","


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("country,1990,1991,1992", 3),
        ("2001,2002,2003", 3),
        ("400,402,404,406,408", 5),
        ("401.5,402.25,403,404.5,405.5,407,408.5,409", 8),
    ],
)
def test_numbers_as_names(tmp_path, header, columns):
    first = "c{}," if header.startswith("country") else ""
    text = f"{header}\n" + lines(
        lambda i: first.format(i) + ",".join(varied(i * i + j * 13) for j in range(columns))
    )
    data = added(write(tmp_path / "spectra.csv", text))
    assert list(data.frame) == header.split(",")
    assert len(data.table) == 24
    assert "header: line 1 is taken for names" in data.comments


def test_rows_of_numbers_are_no_names(tmp_path):
    """The first row ascends, as do others; and it is one of values."""
    text = lines(lambda i: f"{i},{i + 3},{i + 5},{i + 9},{i + 12 + i % 2}")
    data = added(write(tmp_path / "ascending.csv", text))
    assert len(data.frame) == 24
    assert data.spec.header is False


def test_lines_above_the_table(tmp_path):
    body = lines(lambda i: f"{varied(i)},{varied(i * i)},{varied(i * 3)}")
    for above, names in (
        ("Measured in May\n\n# by hand\n", "a,b,y\n"),
        ("24,2,yes,no\n", ""),
        ("", "a,b,y\ncm,kg,s\n"),
    ):
        data = added(write(tmp_path / "above.csv", above + names + body))
        assert list(data.frame) == (["a", "b", "y"] if names else ["x1", "x2", "x3"])
        assert len(data.frame) == 24
        assert "header: line" in data.comments


# --- missing values, and the target ---------------------------------------------------------


@pytest.mark.parametrize("token", ["?", "NULL", "None", "n/a", "#N/A", "-", "."])
@pytest.mark.parametrize("column", [0, 1])
def test_what_stands_for_a_missing_number(tmp_path, token, column):
    def row(i):
        cells = [varied(i), varied(i * i)]
        cells[column] = token if i % 6 == 4 else cells[column]
        return ",".join(cells)

    data = added(write(tmp_path / "tokens.csv", "a,y\n" + lines(row)))
    assert data.guessed("missing_values", "missing", "drop", "one_hot", "target") == {
        "missing_values": [token],
        "missing": "drop",
        "target": "y",
    }
    assert len(data.table) == 20
    assert f"missing_values: {token!r} in line 6 of {'ay'[column]!r}" in data.comments


def test_missing_number_that_is_a_category_elsewhere(tmp_path):
    kinds = ["none", "some", "many"]
    text = "kind,a,y\n" + lines(
        lambda i: f"{kinds[i % 3]},{'none' if i % 6 == 4 else varied(i)},{varied(i * i)}"
    )
    data = added(write(tmp_path / "none.csv", text))
    assert data.guessed("missing_values", "text_values", "one_hot") == {
        "missing_values": ["none"],
        "text_values": ["none"],
        "one_hot": ["kind"],
    }
    assert len(data.table) == 20


@pytest.mark.parametrize("last", ["12 %", "setosa", "$5"])
def test_last_column_of_text_is_no_target(tmp_path, last):
    text = "a,b,last\n" + lines(lambda i: f"{varied(i)},{varied(i * i)},{last}{i % 2 or ''}")
    path = write(tmp_path / "classes.csv", text)
    data = added(path)
    assert data.spec.target == "b"
    assert f"the last of numbers; 'last' has {last!r} in line 2" in data.comments
    with pytest.raises(
        DataError, match=r"column 'last' cannot be the target: .* in line 2"
    ) as error:
        describe(str(path), target="last")
    assert last in str(error.value)
    with pytest.raises(DataError, match="the target 'last' holds text"):
        added_by_hand(data, target="last")


def test_no_input_is_left(tmp_path):
    text = "t,name,y\n" + lines(lambda i: f"{i},n{i},{varied(i)}")
    said = refused(write(tmp_path / "alone.csv", text))
    assert "no input is left beside the target 'y'; left out: ['name', 't']" in said
    text = "name,y\n" + lines(lambda i: f"n{i}, {varied(i)}")
    assert "left out: ['name']" in refused(write(tmp_path / "names.csv", text))


def added_by_hand(data, **changes):
    """The rows of an entry that was edited."""
    from mccvc.datasets.normalize import normalize

    spec = data.spec.but(one_hot=[], drop=[], **changes)
    return normalize(data.frame, spec)


def test_target_can_be_chosen(tmp_path):
    text = "a,b,y\n" + lines(lambda i: f"{varied(i)},{varied(i * i)},{varied(i * 3)}")
    path = write(tmp_path / "choice.csv", text)
    data = added(path, target="a")
    assert list(data.table) == ["b", "y", "a"]
    with pytest.raises(DataError, match=r"no column 'z' among \['a', 'b', 'y'\]"):
        describe(str(path), target="z")


def test_no_numbers_no_target(tmp_path):
    text = "a,b\n" + lines(lambda i: f"{'uv'[i % 2]},{['setosa', 'virginica'][i % 2]}")
    assert "'b' has 'setosa' in line 2" in refused(write(tmp_path / "text.csv", text))
    text = "a,b\n" + lines(lambda i: f"{'uv'[i % 2]},3")
    assert "'b' never varies" in refused(write(tmp_path / "constant.csv", text))


# --- thousands ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "keys", "values"),
    [
        (["950", "1,000", "12,500"], {"thousands": ","}, [950, 1000, 12500]),
        (
            ["1.299,50", "7,25", "12.000,00"],
            {"decimal": ",", "thousands": "."},
            [1299.5, 7.25, 12e3],
        ),
        (["950", "1.000", "12.500"], {"decimal": ",", "thousands": "."}, [950, 1000, 12500]),
        (["1,299.50", "7.25", "12,000.00"], {"thousands": ","}, [1299.5, 7.25, 12e3]),
        (["1'299.5", "7.25", "12'000"], {"thousands": "'"}, [1299.5, 7.25, 12e3]),
        (["1 299,5", "7,25", "12 000"], {"decimal": ",", "thousands": " "}, [1299.5, 7.25, 12e3]),
        (["1,234,567", "1,000", "0"], {"thousands": ","}, [1234567, 1000, 0]),
        (["1,234", "0,125", "12,5"], {"decimal": ","}, [1.234, 0.125, 12.5]),
        (["1,037", "2,250", "3,125"], {"decimal": ","}, [1.037, 2.25, 3.125]),
        (["1.037", "2.250", "3.125"], {}, [1.037, 2.25, 3.125]),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_thousands_and_decimals(tmp_path, cells, keys, values, separator):
    text = f"a{separator}y\n" + lines(lambda i: f"{i * i % 23}{separator}{cells[i % 3]}")
    data = added(write(tmp_path / "thousands.csv", text))
    assert data.guessed("decimal", "thousands") == keys
    assert data.frame["y"].tolist()[:3] == values
    for key, value in keys.items():
        assert f"{key}: {value!r}" in data.comments
    assert "line " in data.comments


def test_thousands_among_commas_are_quoted(tmp_path):
    text = "a,y\n" + lines(lambda i: f'{varied(i)},"{i * 997 + 500:,}"')
    data = added(write(tmp_path / "quoted.csv", text))
    assert data.spec.thousands == ","
    assert data.frame["y"].tolist() == [i * 997 + 500 for i in range(24)]


def test_what_may_be_thousands_is_told(tmp_path):
    text = "a;b;y\n" + lines(lambda i: f"{['865', '18.156'][i % 2]};{varied(i)};{varied(i * i)}")
    data = added(write(tmp_path / "mixed.csv", text))
    assert data.spec.thousands is None
    assert "'a' has '18.156' in line 3 beside whole numbers" in data.comments


def test_decimal_commas_among_commas_are_quoted(tmp_path):
    text = "a,y\n" + lines(lambda i: f'"{comma(i)}","{comma(i * i)}"')
    data = added(write(tmp_path / "quoted.csv", text))
    assert data.guessed("layout", "decimal") == {"decimal": ","}
    assert data.frame["y"].tolist() == [float(varied(i * i)) for i in range(24)]


def test_groups_of_other_lengths_are_no_number(tmp_path):
    path = write(tmp_path / "odd.csv", "a;y\n1,03;1\n1,000;2\n")
    assert parse(path, DatasetSpec(target="y", layout=Layout.SEMICOLON, thousands=","))[
        "a"
    ].tolist() == ["1,03", "1,000"]


# --- encodings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "guessed"),
    [
        ("latin-1", "cp1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-8-sig", "utf-8"),
        ("utf-8", "utf-8"),
    ],
)
def test_encodings(tmp_path, encoding, guessed):
    towns = ["Köln", "Zürich", "Málaga"]
    text = "größe,town,y\n" + lines(lambda i: f"{i % 7},{towns[i % 3]},{varied(i)}")
    data = added(write(tmp_path / "towns.csv", text, encoding))
    assert data.spec.encoding == guessed
    assert list(data.frame) == ["größe", "town", "y"]
    assert data.frame["town"].tolist()[:3] == towns
    assert (f"encoding: {guessed}, by " in data.comments) == (guessed != "utf-8")


def test_wrong_encoding_names_the_line(tmp_path):
    path = write(tmp_path / "latin.csv", "a,y\n1,2\nKöln,3\n", "latin-1")
    with pytest.raises(DataError, match=r"line 3: byte 0xf6 is not utf-8; set encoding"):
        parse(path, DatasetSpec(target="y"))
    path = write(tmp_path / "wide.csv", "a,y\n1,2\n", "utf-16-le")
    with pytest.raises(DataError, match=r"line 1: a NUL character"):
        parse(path, DatasetSpec(target="y"))


# --- values that are none -------------------------------------------------------------------


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e400"])
def test_infinite_number_is_named(tmp_path, value):
    text = "a,b,y\n" + lines(lambda i: f"{value if i == 5 else i * i},{varied(i)},{varied(i * i)}")
    path = write(tmp_path / "infinite.csv", text)
    assert f"line 7: column 'a': {value!r} is no finite number" in refused(path)
    spec = DatasetSpec(target="y", missing_values=(value,), missing="drop")
    assert len(parse(path, spec).dropna()) == 23
    assert len(parse(path, DatasetSpec(target="y", drop=("a",)))) == 24


def test_large_numbers(tmp_path):
    text = "a,b,y\n" + lines(lambda i: f"{2**63 + i * 4096},{varied(i)},{varied(i * i)}")
    data = added(write(tmp_path / "large.csv", text))
    assert data.frame["a"].tolist() == [float(2**63 + i * 4096) for i in range(24)]
    assert "digits are lost: ['a']" in data.comments
    text = "a,b,y\n" + lines(lambda i: f"{(-1) ** i}e308,{varied(i)},{varied(i * i)}")
    assert "column 'a': values too far apart" in refused(write(tmp_path / "far.csv", text))


@pytest.mark.parametrize(("name", "start"), [("Unnamed: 0", 0), ("No", 1)])
def test_index_column_is_left_out(tmp_path, name, start):
    text = f"{name},a,y\n" + lines(lambda i: f"{i + start},{varied(i)},{varied(i * i)}")
    data = added(write(tmp_path / "index.csv", text))
    assert data.spec.drop == (name,)
    assert f"{name}: counts the rows, left out" in data.comments


def test_nothing_but_gaps(tmp_path):
    text = "a,b,y\n" + lines(lambda i: f",{varied(i)},{varied(i * i)}")
    data = added(write(tmp_path / "empty.csv", text))
    assert data.spec.drop == ("a",)
    assert "a: no values, left out" in data.comments
    text = "a,b,y\n" + lines(lambda i: f"{'' if i % 2 else i},{i if i % 2 else ''},{varied(i)}")
    data = added(write(tmp_path / "alternating.csv", text))
    assert data.spec.drop == ("a",)
    assert len(data.table) == 12
    with pytest.raises(DataError, match="each of the 24 rows misses a value; column 'a' misses 12"):
        added_by_hand(data)


@pytest.mark.parametrize("name", ["a\x1b[31m", "# a: {b", "a\u2028b", "- ?", "'a\"", "yes", "=1"])
def test_names_that_yaml_could_misread(tmp_path, name):
    text = f"{name};kind;y\n" + lines(lambda i: f"{varied(i)};{'uv'[i % 2]};{varied(i * i)}")
    data = added(write(tmp_path / "names.csv", text.replace("kind", f"kind {name}")))
    assert len(data.table) == 24
    assert data.comments.isascii() or name.isascii()


# --- files that are no tables ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "fewer than two lines"),
        (b"a\n1\n2\n3\n", "line 4 does not split at commas"),
        (b"<!DOCTYPE html>\n<html>\n<a,b>\n", "line 1: a page, no table"),
        (bytes(range(256)) * 9, "NUL bytes"),
        (b"a,b\n1,2\n3,\xff\xfe\x00\n", "NUL bytes"),
    ],
)
def test_no_table(tmp_path, capsys, content, said):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert said in refused(path)
    assert main(["add-dataset", str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
