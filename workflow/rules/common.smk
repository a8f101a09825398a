import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from mccvc.study.config import ConfigError, Study, command_code, read_config
from mccvc.study.digests import digest
from mccvc.study.files import write_text

ROOT = Path(workflow.basedir)
# A user's own modules lie where Snakemake runs, as they do for the jobs.
sys.path.append(str(Path.cwd()))

# Read here and not by Snakemake, which would join the keys of two grids.
OWN = Path("config.yaml")
FILES = [OWN if OWN.exists() else ROOT / OWN, *workflow.config_settings.configfiles]
try:
    study = Study(
        read_config(FILES, workflow.config_settings.config),
        ROOT / "workflow/schemas/config.schema.yaml",
    )
except ConfigError as error:
    sys.exit(f"The configuration (config.yaml, --config) is not valid:\n{error}")

plan = study.resolved


def names(values):
    """Pattern of a wildcard that is one of these names."""
    return "|".join(values) or "(?!)"


wildcard_constraints:
    dataset=names(plan.datasets),
    block=r"\d{4}-\d{4}",


MCCVC = f"{shlex.quote(sys.executable)} -m mccvc"

# Files that commands read from the package.
PACKAGE_FILES = {
    "tables": ["mccvc.report/published.csv", "mccvc.report/captions"],
    "evidence": ["mccvc.report/captions"],
    "elm_figures": ["mccvc.report/published.csv"],
    "section": ["mccvc.report/published.csv", "mccvc.report/captions"],
    "page": ["mccvc.report/captions", "mccvc.report/page.html"],
}


def code_of(command, methods=()):
    """Digest of the code that a command of the package reaches."""
    return command_code(command, PACKAGE_FILES.get(command, []), methods)


SHARDS = {e.name: [path for path, _ in e.shards("results/runs")] for e in plan.experiments}
NORMALIZED = [f"data/normalized/{dataset}.parquet" for dataset in plan.datasets]
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


def drawn(names):
    """Files of figures."""
    return [f"results/figures/{name}.{suffix}" for name in names for suffix in ("png", "pdf", "csv")]


LINEAR_FIGURES = drawn(["kernel_and_error_density", "linear_convergence"])
ELM_FIGURES = drawn(
    ["test_rmse", "hyperparameters", *(f"dataset_{dataset}" for dataset in plan["elm"].problems)]
)
COMPARISON_FIGURES = drawn(["reproduction", "differences", "critical_difference"])


def section(tables, data, figures):
    """Files of the part of the report on an experiment beside the paper's."""
    return [
        *(f"results/tables/{name}.{suffix}" for name in tables for suffix in ("csv", "md", "tex")),
        *(f"results/tables/{name}.csv" for name in data),
        *drawn(figures),
    ]


SECTIONS = {
    "contamination": section(
        ["contamination_conditions", "contamination_methods", "contamination_parts"],
        ["contamination", "contamination_ratios"],
        ["contamination", "contamination_map"],
    ),
    "linear-contamination": section(
        ["linear_breakdown"], ["linear_contamination"], ["linear_contamination"]
    ),
    "ambiguity": section(
        ["ambiguity_cells", "ambiguity_readings"], ["ambiguity"], ["ambiguity"]
    ),
}
SECTIONS = {name: files for name, files in SECTIONS.items() if SHARDS.get(name)}


PROTOCOL = ROOT / "docs/protocol.md"
# For shells; no parameters, since rows do not depend on where the repository lies.
BUNDLED, SHOWN_PROTOCOL = (
    shlex.quote(os.path.relpath(path)) for path in (ROOT / "data/bundled", PROTOCOL)
)
def answers(command):
    """Whether a command is there and works."""
    if shutil.which(command) is None:
        return False
    return subprocess.run([command], capture_output=True, timeout=60).returncode == 0


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
        *SHARDS.values(),


# For the rule that copies it: with "run:" it would start a Snakemake of its own.
RESOLVED = f".snakemake/study-{plan.digest}.json"
if not Path(RESOLVED).exists():
    write_text(RESOLVED, plan.json())


rule study:
    # The resolved study, kept beside its results.
    output:
        "results/study.json",
    params:
        digest=plan.digest,
    priority: 1
    localrule: True
    shell:
        "cp {RESOLVED} {output}"
