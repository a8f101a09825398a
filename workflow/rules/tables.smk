rule tables:
    input:
        LINEAR_SHARDS,
        ELM_SHARDS,
        NORMALIZED,
        study="results/study.json",
    output:
        shown(TABLES),
    log:
        "results/logs/tables.log",
    params:
        code=code_of("tables"),
    localrule: True
    shell:
        "{PYTHON} -m mccvc tables --study {input.study} --runs results/runs"
        " --data data/normalized --out results/tables 2>&1 | tee {log}"


rule provenance:
    input:
        LINEAR_SHARDS,
        ELM_SHARDS,
        study="results/study.json",
    output:
        "results/provenance.json",
    log:
        "results/logs/provenance.log",
    params:
        code=code_of("provenance"),
    localrule: True
    shell:
        "{PYTHON} -m mccvc provenance --study {input.study} --runs results/runs --out {output}"
        " 2>&1 | tee {log}"
