import os
from itertools import chain


report: "workflow/report.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        TABLES,
        EVIDENCE,
        FIGURES,
        "results/report.html",
        "results/provenance.json",
        "results/complete.txt",


onerror:
    # Tables of what is there, so that one dataset or job does not hide the others.
    if Path("results/runs").exists() and not all(map(os.path.exists, chain(*SHARDS.values()))):
        write_text("results/study.json", plan.json())
        shell(
            "{MCCVC} job tables --partial --study results/study.json --runs results/runs"
            " --data data/normalized --out results/partial"
            " && echo 'Tables of what is done, and missing.csv: results/partial' >&2 || true"
        )
