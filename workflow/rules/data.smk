rule fetch:
    output:
        raw="data/raw/{dataset}.data",
        provenance="data/raw/{dataset}.json",
    log:
        "results/logs/fetch/{dataset}.log",
    params:
        spec=lambda w: canonical(study.dataset_spec(w.dataset)),
        code=code_of("fetch"),
        mirror=lambda w: f"--mirror {study.config['data']['mirror']}" if study.config["data"]["mirror"] else "",
        timeout=study.config["data"]["timeout"],
    localrule: True
    shell:
        "{PYTHON} -m mccvc fetch --name {wildcards.dataset} --spec {params.spec:q} {params.mirror}"
        " --timeout {params.timeout} --bundled data/bundled --out {output.raw} 2>&1 | tee {log}"


rule normalize:
    input:
        raw="data/raw/{dataset}.data",
        provenance="data/raw/{dataset}.json",
    output:
        table="data/normalized/{dataset}.parquet",
        provenance="data/normalized/{dataset}.json",
    log:
        "results/logs/normalize/{dataset}.log",
    params:
        spec=lambda w: canonical(study.dataset_spec(w.dataset)),
        code=code_of("normalize"),
    localrule: True
    shell:
        "{PYTHON} -m mccvc normalize --name {wildcards.dataset} --spec {params.spec:q}"
        " --raw {input.raw} --out {output.table} 2>&1 | tee {log}"
