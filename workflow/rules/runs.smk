# A rule for the shards of each experiment, so that profiles can tell them apart.


def table_of(spec):
    """The normalized dataset that rows are computed from, if any."""
    return [] if spec.dataset is None else [f"data/normalized/{spec.dataset}.parquet"]


for experiment in plan.experiments:
    specs = {(spec.problem, spec.method): spec for spec in experiment.specs}

    rule:
        name:
            f"{experiment.name}_shard"
        wildcard_constraints:
            problem=names(experiment.problems),
            method=names(experiment.methods),
        input:
            table=lambda w, specs=specs: table_of(specs[w.problem, w.method]),
        output:
            rows=f"results/runs/{experiment.name}/{{problem}}/{{method}}/{{block}}.parquet",
        log:
            f"results/logs/{experiment.name}/{{problem}}/{{method}}/{{block}}.log",
        benchmark:
            f"results/benchmarks/{experiment.name}/{{problem}}/{{method}}/{{block}}.tsv"
        params:
            experiment=experiment.name,
            spec=lambda w, specs=specs: specs[w.problem, w.method].json(),
            code=lambda w, code=experiment.code: code[w.method],
        threads: 1
        resources:
            mem_mb=lambda w, input, attempt: attempt * 1500,
            runtime=120,
        shell:
            "{MCCVC} job run --experiment {params.experiment} --spec {params.spec:q}"
            " --code {params.code} --block {wildcards.block} --table {input.table} --out {output.rows}"
            " 2>&1 | tee {log}"
