"""add-dataset, the config's checks, fetch and normalize, one after the other, for the tests."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pandas as pd
import yaml
from paths import ROOT

from mccvc.datasets.fetch import fetch
from mccvc.datasets.inspection import describe
from mccvc.datasets.normalize import normalize_file, value_digest
from mccvc.datasets.parsing import parse
from mccvc.datasets.spec import DatasetSpec
from mccvc.study.config import Study

CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


@dataclass
class Added:
    """What became of a file: its entry, the comments on it, its frame, its rows."""

    spec: DatasetSpec
    comments: str
    frame: pd.DataFrame
    table: pd.DataFrame

    def guessed(self, *keys):
        """The values of some keys of the entry."""
        return {key: value for key, value in self.spec.as_dict().items() if key in keys}


def added(path, target=None):
    """Add a dataset as a user would: what is printed goes into the config as it is."""
    text = describe(str(path), target=target)
    ((name, entry),) = yaml.safe_load(text).items()
    assert Study(CONFIG | {"datasets": {name: entry}}, SCHEMA).resolved["elm"].problems == [name]
    spec = DatasetSpec.of(entry)
    out = Path(path).parent / "out"
    raw, table = out / f"{name}.data", out / f"{name}.parquet"
    provenance = fetch(name, spec, bundled_dir=out, raw_path=raw, locks=out)
    assert provenance["value_digest"] == spec.digest
    normalize_file(name, spec, raw, table)
    frame = parse(raw, spec)
    assert value_digest(frame) == spec.digest
    comments = [line for line in text.splitlines() if line.startswith("  #")]
    return Added(spec, "\n".join(comments), frame, pd.read_parquet(table))


def write(path, text, encoding="utf-8"):
    """A text file, its line ends as they are."""
    path.write_bytes(text.encode(encoding))
    return path


def lines(row, count=24):
    """Rows of text, one for each number."""
    return "".join(f"{row(i)}\n" for i in range(count))


def varied(i, digits=2):
    """Numbers without order or repetition."""
    return f"{(i * 37 + 11) % 101 / 7:.{digits}f}"


def comma(i, digits=2):
    """The same with a decimal comma."""
    return varied(i, digits).replace(".", ",")


def write_workbook(path, sheets):
    """A minimal .xlsx file: sheets by name, each a list of rows of texts and numbers."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    linked = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "http://schemas.openxmlformats.org/package/2006/relationships"
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="r{i}"/>'
        for i, name in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="r{i}" Type="{linked}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{kinds}"><Relationship Id="r1" Type="{linked}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{linked}"><sheets>{names}</sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{kinds}">{links}</Relationships>'
        )
        for i, rows in enumerate(sheets.values(), start=1):
            cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
            book.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
            )
    return path


def _cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"
