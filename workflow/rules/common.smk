import re
import sys
from pathlib import Path

from mccvc.study.config import ConfigError, Study
from mccvc.study.digests import canonical, code_digest, digest
from mccvc.study.files import write_text
from mccvc.study.shards import shard_path

try:
    study = Study(config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml")
except ConfigError as error:
    sys.exit(f"The configuration (config.yaml, --config) is not valid:\n{error}")


def names(values):
    """Pattern of a wildcard that is one of these names."""
    return "|".join(map(re.escape, values))


wildcard_constraints:
    dataset=names(study.datasets),
    method=names(study.methods),
    case=names(study.cases),
    criterion=names(study.criteria),
    block=r"\d{4}-\d{4}",


PYTHON = sys.executable

# Files that commands read from the package.
PACKAGE_FILES = {
    "tables": ["mccvc.report/published.csv", "mccvc.report/captions"],
    "evidence": ["mccvc.report/captions"],
    "page": ["mccvc.report/captions", "mccvc.report/page.html"],
}


def code_of(command):
    """Digest of the code that a command of the package reaches."""
    return code_digest([f"mccvc.cli:{command}", *PACKAGE_FILES.get(command, [])])


LINEAR_SHARDS = [
    shard_path("results/runs", "linear", case, criterion, block)
    for case in study.cases
    for criterion in study.criteria
    for block in study.blocks
]
ELM_SHARDS = [
    shard_path("results/runs", "elm", dataset, method, block)
    for dataset in study.datasets
    for method in study.methods
    for block in study.blocks
]
NORMALIZED = [f"data/normalized/{dataset}.parquet" for dataset in study.datasets]
TABLES = [
    *(f"results/tables/table{i}.{suffix}" for i in (1, 2, 3) for suffix in ("csv", "md", "tex")),
    "results/tables/published_vs_reproduced.csv",
    "results/tables/failures.csv",
]
EVIDENCE = [
    "results/tables/ranks.csv",
    "results/tables/choices.csv",
    *(
        f"results/tables/{name}.{suffix}"
        for name in ("comparisons", "across_datasets", "claims")
        for suffix in ("csv", "md", "tex")
    ),
]
FIGURES = [
    f"results/figures/{name}.{suffix}"
    for name in (
        "kernel_and_error_density",
        "linear_convergence",
        "test_rmse",
        "differences",
        "critical_difference",
        "hyperparameters",
        *(f"dataset_{dataset}" for dataset in study.datasets),
    )
    for suffix in ("png", "dark.png", "pdf", "csv")
]


CAPTIONS = "../../src/mccvc/report/captions"


def shown(paths):
    """The files, those that a person looks at marked for the report of Snakemake."""
    return [reported(path) for path in paths]


def reported(path):
    name, _, suffix = Path(path).name.partition(".")
    if suffix == "png":
        kind = "dataset" if name.startswith("dataset_") else name
        return report(path, caption=f"{CAPTIONS}/{kind}.rst", category="Figures", labels={"figure": name})
    captioned = ("table1", "table2", "table3", "claims", "comparisons", "across_datasets")
    if suffix == "csv" and name in captioned:
        return report(path, caption=f"{CAPTIONS}/{name}.rst", category="Tables", labels={"table": name})
    return path


rule data:
    input:
        NORMALIZED,


rule runs:
    input:
        LINEAR_SHARDS,
        ELM_SHARDS,


rule study:
    # The resolved study, kept beside its results.
    output:
        "results/study.json",
    params:
        study=canonical(study.report_spec()),
    localrule: True
    run:
        write_text(output[0], params.study)
