"""Provenance: what many jobs have in common, and when versions were mixed."""

import copy

import pytest

from mccvc.study.provenance import job_record, now, summary


@pytest.fixture
def record():
    return job_record(now(), "{}")


def test_jobs_of_one_machine_are_one_environment(record):
    found = summary({"a": record, "b": copy.deepcopy(record)})
    assert [e["shards"] for e in found["environments"]] == [2]
    assert found["mixed"] == []


@pytest.mark.parametrize(
    ("change", "mixed"),
    [
        (lambda r: r["versions"].update(numpy="1.0"), ["numpy"]),
        (lambda r: r["versions"].update(scipy="1.0", numpy="1.0"), ["numpy", "scipy"]),
        (lambda r: r["blas"][0].update(architecture="Other"), ["BLAS"]),
        (lambda r: r.update(platform="elsewhere"), []),
    ],
)
def test_versions_that_move_last_digits_are_told(record, change, mixed):
    other = copy.deepcopy(record)
    change(other)
    found = summary({"a": record, "b": other})
    assert len(found["environments"]) == 2
    assert found["mixed"] == mixed
