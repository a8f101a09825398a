rule tables:
    input:
        LINEAR_SHARDS,
        ELM_SHARDS,
        NORMALIZED,
        study="results/study.json",
    output:
        TABLES,
    log:
        "results/logs/tables.log",
    params:
        code=code_digest("tables"),
    localrule: True
    shell:
        "{PYTHON} -m mccvc tables --study {input.study} --runs results/runs"
        " --data data/normalized --out results/tables 2>&1 | tee {log}"
