def local_file(wildcards):
    """The file of a dataset on this machine: when it changes, so do the rows."""
    file = study.dataset_spec(wildcards.dataset).file
    return [] if file is None else [file]


rule fetch:
    input:
        local_file,
    output:
        raw="data/raw/{dataset}.data",
        provenance="data/raw/{dataset}.json",
    log:
        "results/logs/fetch/{dataset}.log",
    params:
        spec=lambda w: study.dataset_spec(w.dataset).json(),
        code=code_of("fetch"),
        mirror=f"--mirror={study.config['data']['mirror']}" if study.config["data"]["mirror"] else [],
        timeout=study.config["data"]["timeout"],
    localrule: True
    shell:
        "{MCCVC} job fetch --name {wildcards.dataset} --spec {params.spec:q} {params.mirror:q}"
        " --timeout {params.timeout} --bundled {BUNDLED} --out {output.raw} 2>&1 | tee {log}"


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
        spec=lambda w: study.dataset_spec(w.dataset).json(),
        code=code_of("normalize"),
    localrule: True
    shell:
        "{MCCVC} job normalize --name {wildcards.dataset} --spec {params.spec:q}"
        " --raw {input.raw} --out {output.table} 2>&1 | tee {log}"
