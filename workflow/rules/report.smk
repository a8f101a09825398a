rule traces:
    # Follows the grid points of Table I, which the linear study decides; a new dataset rewrites the
    # files without changing them.
    input:
        SHARDS["linear"],
        study=ancient("results/study.json"),
        table=ancient("results/tables/table1.csv"),
    output:
        errors="results/traces/errors.parquet",
        convergence="results/traces/convergence.parquet",
        distances="results/traces/distances.parquet",
    log:
        "results/logs/traces.log",
    params:
        code=code_of("traces", [spec.fit for spec in plan["linear"].specs]),
    threads: 1
    shell:
        "{MCCVC} job traces --study {input.study} --tables results/tables"
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


rule figures:
    input:
        *SHARDS.values(),
        rules.traces.output,
        study="results/study.json",
        compared="results/tables/comparisons.csv",
        ranks="results/tables/ranks.csv",
    output:
        shown(FIGURES),
    log:
        "results/logs/figures.log",
    params:
        code=code_of("figures"),
    localrule: True
    shell:
        "{MCCVC} job figures --study {input.study} --runs results/runs"
        " --traces results/traces --tables results/tables --out results/figures 2>&1 | tee {log}"


if CONTAMINATION:

    rule contamination:
        input:
            SHARDS["contamination"],
            study="results/study.json",
        output:
            CONTAMINATION,
        log:
            "results/logs/contamination.log",
        params:
            code=code_of("contamination"),
        localrule: True
        shell:
            "{MCCVC} job contamination --study {input.study} --runs results/runs"
            " --tables results/tables --figures results/figures 2>&1 | tee {log}"


if AMBIGUITY:

    rule ambiguity:
        input:
            SHARDS["ambiguity"],
            study="results/study.json",
        output:
            AMBIGUITY,
        log:
            "results/logs/ambiguity.log",
        params:
            code=code_of("ambiguity"),
        localrule: True
        shell:
            "{MCCVC} job ambiguity --study {input.study} --runs results/runs"
            " --tables results/tables --figures results/figures 2>&1 | tee {log}"


rule page:
    input:
        TABLES,
        EVIDENCE,
        FIGURES,
        CONTAMINATION,
        AMBIGUITY,
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
