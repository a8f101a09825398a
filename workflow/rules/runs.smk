from collections import defaultdict
from functools import cache

from pyarrow import parquet

from mccvc.study.shards import block_runs

# A rule for the shards of each experiment, so that profiles can tell them apart.


def table_of(spec):
    """The normalized dataset that rows are computed from, if any."""
    return [] if spec.dataset is None else [f"data/normalized/{spec.dataset}.parquet"]


@cache
def n_rows(table):
    """Rows of a normalized dataset; Snakemake asks again when a file that is missing is there."""
    with open(table, "rb") as file:
        return parquet.read_metadata(file).num_rows


def memory_mb(tables):
    """What a job holds: some ten matrices with the widest hidden layer's columns."""
    size = sum(map(n_rows, tables)) * max(study.config["elm"]["n_hidden"])
    return max(1500, 500 + 80 * size // 10**6)


def minutes(tables, block):
    """Three times what the slowest method of the paper takes, 2 ms a row and run."""
    return max(60, sum(map(n_rows, tables)) * len(block_runs(block)) // 10_000)


for experiment in plan.experiments:
    specs = {(spec.problem, spec.method): spec for spec in experiment.specs}
    claim_specs = {(spec.problem, spec.method): spec for spec in experiment.claim_specs}
    by_block = defaultdict(lambda specs=specs: specs, dict.fromkeys(experiment.claim_blocks, claim_specs))

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
            spec=lambda w, by_block=by_block: by_block[w.block][w.problem, w.method].json(),
            code=lambda w, code=experiment.code: code[w.method],
        # The linear study is short, and its traces and figures can be done while others fit.
        priority: int(experiment.name == "linear")
        threads: 1
        resources:
            mem_mb=lambda w, input, attempt: attempt * memory_mb(input.table),
            runtime=lambda w, input, attempt: attempt * minutes(input.table, w.block),
        shell:
            "{MCCVC} job run --experiment {params.experiment} --spec {params.spec:q}"
            " --code {params.code} --block {wildcards.block} --table {input.table} --out {output.rows}"
            " 2>&1 | tee {log}"
