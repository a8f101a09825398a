rule elm_shard:
    input:
        table="data/normalized/{dataset}.parquet",
    output:
        rows=shard_path("results/runs", "elm", "{dataset}", "{method}", "{block}"),
    log:
        "results/logs/elm/{dataset}/{method}/{block}.log",
    benchmark:
        "results/benchmarks/elm/{dataset}/{method}/{block}.tsv"
    params:
        spec=lambda w: canonical(study.elm_spec(w.dataset, w.method)),
        code=lambda w: study.code["elm"][w.method],
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    shell:
        "{PYTHON} -m mccvc run-elm --table {input.table} --spec {params.spec:q}"
        " --code {params.code} --block {wildcards.block} --out {output.rows} 2>&1 | tee {log}"
