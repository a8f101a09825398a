"""BibTeX of the software, of the paper, and of the datasets of a config."""

import re
from pathlib import Path

import yaml


def bibtex(config, citation_path):
    """BibTeX entries to cite a study.

    Parameters
    ----------
    config : dict
        The config, whose datasets are cited.
    citation_path : path-like
        The repository's ``CITATION.cff``.

    Returns
    -------
    str
    """
    software = yaml.safe_load(Path(citation_path).read_text(encoding="utf-8"))
    entries = [
        _entry("software", "mccvc", _of_citation(software) | {"version": software["version"]}),
        *(
            _entry("article", _key(reference), _of_citation(reference))
            for reference in software["references"]
        ),
        *(_entry("misc", name, _of_dataset(name, d)) for name, d in config["datasets"].items()),
    ]
    return "\n\n".join(entries) + "\n"


def _of_citation(citation):
    names = [
        author.get("name") or f"{author['family-names']}, {author['given-names']}"
        for author in citation["authors"]
    ]
    return {
        # Names that are not a person's are kept whole by braces.
        "author": " and ".join(f"{{{n}}}" if "," not in n else n for n in names),
        "title": citation["title"],
        "journal": citation.get("journal"),
        "year": citation.get("year") or str(citation.get("date-released", ""))[:4],
        "doi": citation.get("doi"),
    }


def _of_dataset(name, dataset):
    is_uci = any("archive.ics.uci.edu" in address for address in dataset.get("urls", []))
    return {
        "author": " and ".join(dataset.get("authors", [])),
        "title": dataset.get("title", name),
        "year": dataset.get("year"),
        "publisher": "UCI Machine Learning Repository" if is_uci else None,
        "doi": dataset.get("doi"),
        "url": None if dataset.get("doi") else next(iter(dataset.get("urls", [])), None),
        "note": f"Licence: {dataset['licence']}" if "licence" in dataset else None,
    }


def _key(reference):
    word = re.findall(r"\w+", reference["title"])[0].lower()
    return f"{reference['authors'][0]['family-names'].lower()}{reference['year']}{word}"


def _entry(kind, key, fields):
    lines = [
        f"  {name} = {{{value if name == 'url' else _escaped(str(value))}}}"
        for name, value in fields.items()
        if value
    ]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _escaped(text):
    return re.sub(r"([&%#_])", r"\\\1", text)
