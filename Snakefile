configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/linear.smk"
include: "workflow/rules/elm.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        TABLES,
        FIGURES,
        "results/report.html",
        "results/provenance.json",
