import pytest
from checkout import small_study


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    checkout = small_study(tmp_path_factory.mktemp("workflow") / "a")
    status, output = checkout.snakemake("--cores", "1")
    assert status == 0, output
    checkout.output = output
    return checkout
