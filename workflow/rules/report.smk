rule traces:
    # Follows the grid points that the linear study chooses; a new dataset rewrites the study's file
    # without changing them.
    input:
        SHARDS["linear"],
        study=ancient("results/study.json"),
    output:
        errors="results/traces/errors.parquet",
        convergence="results/traces/convergence.parquet",
        distances="results/traces/distances.parquet",
    log:
        "results/logs/traces.log",
    params:
        code=code_of("traces", [spec.fit for spec in plan["linear"].specs]),
    priority: 1
    threads: 1
    shell:
        "{MCCVC} job traces --study {input.study} --runs results/runs"
        " --out results/traces 2>&1 | tee {log}"


rule evidence:
    input:
        *SHARDS.values(),
        rules.traces.output,
        study="results/study.json",
        published="results/tables/published_vs_reproduced.csv",
    output:
        shown(EVIDENCE),
    log:
        "results/logs/evidence.log",
    params:
        code=code_of("evidence"),
    localrule: True
    shell:
        "{MCCVC} job evidence --study {input.study} --runs results/runs"
        " --traces results/traces --tables results/tables --out results/tables 2>&1 | tee {log}"


rule linear_figures:
    # Drawn while others still fit.
    input:
        rules.traces.output,
        study="results/study.json",
    output:
        shown(LINEAR_FIGURES),
    log:
        "results/logs/linear_figures.log",
    params:
        code=code_of("linear_figures"),
    priority: 1
    localrule: True
    shell:
        "{MCCVC} job linear-figures --study {input.study} --traces results/traces"
        " --out results/figures 2>&1 | tee {log}"


rule elm_figures:
    input:
        SHARDS["elm"],
        study="results/study.json",
    output:
        shown(ELM_FIGURES),
    log:
        "results/logs/elm_figures.log",
    params:
        code=code_of("elm_figures"),
    localrule: True
    shell:
        "{MCCVC} job elm-figures --study {input.study} --runs results/runs"
        " --out results/figures 2>&1 | tee {log}"


rule comparison_figures:
    input:
        study="results/study.json",
        reproduced="results/tables/published_vs_reproduced.csv",
        compared="results/tables/comparisons.csv",
        ranks="results/tables/ranks.csv",
    output:
        shown(COMPARISON_FIGURES),
    log:
        "results/logs/comparison_figures.log",
    params:
        code=code_of("comparison_figures"),
    localrule: True
    shell:
        "{MCCVC} job comparison-figures --study {input.study} --tables results/tables"
        " --out results/figures 2>&1 | tee {log}"


for experiment, files in SECTIONS.items():

    rule:
        name:
            experiment
        input:
            SHARDS[experiment],
            study="results/study.json",
        output:
            files,
        log:
            f"results/logs/{experiment}.log",
        params:
            code=code_of("section"),
            experiment=experiment,
        localrule: True
        shell:
            "{MCCVC} job section --experiment {params.experiment} --study {input.study} --runs results/runs"
            " --tables results/tables --figures results/figures 2>&1 | tee {log}"


rule page:
    input:
        TABLES,
        EVIDENCE,
        LINEAR_FIGURES,
        ELM_FIGURES,
        COMPARISON_FIGURES,
        *SECTIONS.values(),
        NORMALIZED,
        study="results/study.json",
        provenance="results/provenance.json",
    output:
        report("results/report.html", caption=f"{CAPTIONS}/page.rst", category="Report"),
    log:
        "results/logs/page.log",
    params:
        code=code_of("page"),
        protocol=digest(PROTOCOL.read_text(encoding="utf-8")),
    localrule: True
    shell:
        "{MCCVC} job page --study {input.study} --tables results/tables"
        " --figures results/figures --data data/normalized --provenance {input.provenance}"
        " --protocol {SHOWN_PROTOCOL} --out {output} 2>&1 | tee {log}"


rule complete:
    # Fails if a method has no run at all on some problem; what there is has been written by then.
    input:
        failures="results/tables/failures.csv",
        page="results/report.html",
        study="results/study.json",
    output:
        "results/complete.txt",
    log:
        "results/logs/complete.log",
    params:
        code=code_of("complete"),
    localrule: True
    shell:
        "{MCCVC} job complete --study {input.study} --failures {input.failures} --out {output}"
        " 2>&1 | tee {log}"
