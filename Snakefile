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
        LINEAR_FIGURES,
        ELM_FIGURES,
        COMPARISON_FIGURES,
        "results/report.html",
        "results/provenance.json",
        "results/complete.txt",


onstart:
    # Without it no submitted job would ever be seen to end.
    settings = workflow.executor_settings
    if getattr(settings, "status_command", None) == "sacct" and not answers("sacct"):
        sys.exit(
            "sacct does not answer: this Slurm keeps no accounts. Add --slurm-no-account"
            " --slurm-status-command squeue (docs/cluster.md)"
        )


onerror:
    # Tables of what is there, so that one dataset or job does not hide the others.
    if Path("results/runs").exists() and not all(map(os.path.exists, chain(*SHARDS.values()))):
        write_text("results/study.json", plan.json())
        shell(
            "{MCCVC} job tables --partial --study results/study.json --runs results/runs"
            " --data data/normalized --out results/partial"
            " && echo 'Tables of what is done, and missing.csv: results/partial' >&2 || true"
        )
