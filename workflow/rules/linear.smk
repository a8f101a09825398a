rule linear_shard:
    output:
        rows=shard_path("results/runs", "linear", "{case}", "{criterion}", "{block}"),
    log:
        "results/logs/linear/{case}/{criterion}/{block}.log",
    benchmark:
        "results/benchmarks/linear/{case}/{criterion}/{block}.tsv"
    params:
        spec=lambda w: canonical(study.linear_spec(w.case, w.criterion)),
        code=lambda w: study.code["linear"][w.criterion],
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=60,
    shell:
        "{PYTHON} -m mccvc run-linear --spec {params.spec:q} --code {params.code}"
        " --block {wildcards.block} --out {output.rows} 2>&1 | tee {log}"
