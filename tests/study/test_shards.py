from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from mccvc.study.elm import ELM, ElmSpec
from mccvc.study.shards import (
    ShardError,
    block_name,
    block_runs,
    read_shards,
    schema_of,
    shard_path,
    write_shard,
)
from mccvc.study.specs import CriterionMethod


def rows(runs, **changes):
    template = {
        "study": "elm",
        "dataset": "servo",
        "method": "relm",
        "train_rmse": 0.1,
        "test_rmse": 0.2,
        "n_train": 83,
        "n_test": 83,
        "n_features": 4,
        "n_hidden": 25,
        "lam": 0.001,
        "sigma": None,
        "center": None,
        "n_iter": 0,
        "converged": True,
        "cv_rmse": 0.2,
        "fit_seconds": 0.01,
        "tune_seconds": 0.1,
        "search_solves": [3, 4],
    }
    return [template | changes | {"run": run} for run in runs]


SPEC = ElmSpec(
    seed=1,
    problem="servo",
    method="relm",
    fit=CriterionMethod(criterion="mmse", lam=(0.1,)),
    max_iter=30,
    tol=1e-5,
    n_hidden=(25,),
    folds=5,
)


def write(root, block, of=None, digest=SPEC.digest):
    path = shard_path(root, "elm", "servo", "relm", block)
    write_shard(path, ELM, rows(block_runs(block)) if of is None else of, digest, "code")
    return path


def read(root, blocks=("0000-0001",), code="code"):
    return read_shards(root, ELM, [SPEC], list(blocks), {"relm": code})


def test_blocks():
    assert block_name(0, 24) == "0000-0024"
    assert list(block_runs("0008-0011")) == [8, 9, 10, 11]


def test_rows_come_back_and_the_directory_is_one_dataset(tmp_path):
    write(tmp_path, "0000-0001")
    write(tmp_path, "0002-0002")
    frame = read(tmp_path, ["0000-0001", "0002-0002"])
    assert list(frame["run"]) == [0, 1, 2]
    assert list(frame.columns) == schema_of(ELM).names
    assert frame["sigma"].isna().all()
    table = ds.dataset(tmp_path).to_table()
    assert table.num_rows == 3
    assert table["sigma"].null_count == 3


def test_failed_write_leaves_nothing(tmp_path):
    with pytest.raises(ShardError, match="column test_rmse holds values that are not finite"):
        write(tmp_path, "0000-0001", rows([0, 1], test_rmse=float("inf")))
    assert not list(tmp_path.rglob("*.*"))


def test_missing_shard_is_named(tmp_path):
    with pytest.raises(ShardError, match=r"servo/relm/0000-0001\.parquet: missing"):
        read(tmp_path)


def test_truncated_shard_is_named(tmp_path):
    path = Path(write(tmp_path, "0000-0001"))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ShardError, match=r"0000-0001\.parquet: not readable"):
        read(tmp_path)


def test_shard_of_another_specification_is_refused(tmp_path):
    write(tmp_path, "0000-0001", digest="old")
    with pytest.raises(
        ShardError, match=rf"config_digest is \['old'\], expected \['{SPEC.digest}'\]"
    ):
        read(tmp_path)


def test_shard_of_other_code_is_refused(tmp_path):
    write(tmp_path, "0000-0001")
    with pytest.raises(ShardError, match=r"code_digest is \['code'\], expected \['new'\]"):
        read(tmp_path, code="new")


def test_shard_of_other_runs_or_columns_is_refused(tmp_path):
    path = write(tmp_path, "0000-0001", rows([0, 5]))
    with pytest.raises(ShardError, match=r"run is \[0, 5\], expected \[0, 1\]"):
        read(tmp_path)
    pq.write_table(pq.read_table(path).drop_columns("center"), path)
    with pytest.raises(ShardError, match="are not those of an elm shard"):
        read(tmp_path)


def test_every_number_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.standard_normal(500) * 10.0 ** rng.integers(-300, 300, 500)
    values[:4] = 5e-324, np.finfo(float).max, -0.0, 1e22
    some = [
        row | {"lam": value, "run": np.int64(i), "converged": np.bool_(i % 2)}
        for i, (row, value) in enumerate(zip(rows(range(500)), values, strict=True))
    ]
    some[3]["error"] = 'ü "quoted"\nand more'
    write(tmp_path, "0000-0499", some)
    table = pq.read_table(shard_path(tmp_path, "elm", "servo", "relm", "0000-0499"))
    found = table["lam"].to_numpy()
    assert (found == values).all() and np.signbit(found[2])
    assert table["run"].to_pylist() == list(range(500))
    assert table["converged"].to_pylist() == [bool(i % 2) for i in range(500)]
    assert table["error"].to_pylist()[3] == 'ü "quoted"\nand more'
    assert table["sigma"].null_count == 500


def test_no_rows_long_rows_and_numbers_of_numpy(tmp_path):
    write(tmp_path, "0000-0000", [])
    assert pq.read_table(shard_path(tmp_path, "elm", "servo", "relm", "0000-0000")).num_rows == 0
    long = [row | {"error": "x" * 3_000_000} for row in rows(range(2))]
    write(tmp_path, "0000-0001", long)
    table = pq.read_table(shard_path(tmp_path, "elm", "servo", "relm", "0000-0001"))
    assert [len(text) for text in table["error"].to_pylist()] == [3_000_000] * 2
    with pytest.raises(ShardError, match="column lam holds values that are not finite"):
        write(tmp_path, "0000-0000", rows([0], lam=np.float32("nan")))
