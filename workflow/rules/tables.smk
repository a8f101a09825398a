rule tables:
    input:
        *SHARDS.values(),
        [f"data/normalized/{dataset}.parquet" for dataset in plan["elm"].problems],
        study="results/study.json",
    output:
        shown(TABLES),
    log:
        "results/logs/tables.log",
    params:
        code=code_of("tables"),
    localrule: True
    shell:
        "{MCCVC} job tables --study {input.study} --runs results/runs"
        " --data data/normalized --out results/tables 2>&1 | tee {log}"


rule provenance:
    input:
        *SHARDS.values(),
        study="results/study.json",
    output:
        "results/provenance.json",
    log:
        "results/logs/provenance.log",
    params:
        code=code_of("provenance"),
    localrule: True
    shell:
        "{MCCVC} job provenance --study {input.study} --runs results/runs --out {output}"
        " 2>&1 | tee {log}"
