"""The resolved study: its experiments with all specifications, as kept in results/study.json."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from mccvc.study.experiments import EXPERIMENTS, AnySpec
from mccvc.study.shards import read_shards, shard_path
from mccvc.study.specs import Experiment, Method, RunSpec, Spec

if TYPE_CHECKING:
    import pandas as pd

# Fewer runs are a trial: they get no interval, no p value and no verdict.
MIN_RUNS = 10


class ExperimentPlan(Spec, frozen=True, kw_only=True):
    """One experiment of a study.

    Attributes
    ----------
    name : str
        A key of :data:`mccvc.study.experiments.EXPERIMENTS`.
    runs : int
        Runs of each problem and method that tables and figures show.
    blocks : tuple of str
        Names of the blocks of these runs.
    claim_blocks : tuple of str
        Names of the blocks of further runs, which only the verdicts on claims look at.
    claim_specs : tuple of RunSpec
        Specifications of these, for the same problems and methods.
    specs : tuple of RunSpec
        A specification for each problem and method, problems outermost.
    code : dict of str
        Digest of the code behind each method.
    labels : dict of str
        Labels that the config gives to problems and methods, by name.
    titles : dict of str
        Full names of the problems.
    """

    name: str
    runs: int
    blocks: tuple[str, ...]
    claim_blocks: tuple[str, ...] = ()
    claim_specs: tuple[AnySpec, ...] = ()
    specs: tuple[AnySpec, ...]
    code: dict[str, str]
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    titles: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def experiment(self) -> Experiment:
        """What its runs are."""
        return EXPERIMENTS[self.name]

    @property
    def problems(self) -> list[str]:
        """Names of the problems, in their order."""
        return list(dict.fromkeys(spec.problem for spec in self.specs))

    @property
    def methods(self) -> list[str]:
        """Names of the methods, in their order."""
        return list(dict.fromkeys(spec.method for spec in self.specs))

    def fit(self, method: str) -> Method:
        """What a method computes."""
        return next(spec.fit for spec in self.specs if spec.method == method)

    def shards(self, root: str | Path) -> Iterator[tuple[str, RunSpec]]:
        """Path and specification of every shard below a directory of runs."""
        for specs, blocks in (self.specs, self.blocks), (self.claim_specs, self.claim_blocks):
            for spec in specs:
                for block in blocks:
                    yield shard_path(root, self.name, spec.problem, spec.method, block), spec

    def rows(
        self, root: str | Path, missing: list[str] | None = None, *, claims: bool = False
    ) -> "pd.DataFrame":
        """All rows, those of failed runs among them.

        Parameters
        ----------
        root : path-like
            Directory of runs.
        missing : list, optional
            Gets the paths of shards that are not there, which then are left out.
        claims : bool, default False
            Whether to read the further runs that verdicts look at, too.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        ShardError
            As :func:`mccvc.study.shards.read_shards`.
        """
        kind = self.experiment
        rows = read_shards(root, kind, self.specs, self.blocks, self.code, missing)
        if not (claims and self.claim_blocks):
            return rows
        # Imported here: fit jobs do without.
        import pandas as pd

        more = read_shards(root, kind, self.claim_specs, self.claim_blocks, self.code, missing)
        return pd.concat([rows, more], ignore_index=True)


class ResolvedStudy(Spec, frozen=True, kw_only=True):
    """A study with nothing left to resolve: what tables, figures and the page depend on.

    Attributes
    ----------
    experiments : tuple of ExperimentPlan
        The experiments; one that was left out has no specifications.
    """

    experiments: tuple[ExperimentPlan, ...]

    @classmethod
    def read_file(cls, path: str | Path) -> Self:
        """The study of a file such as results/study.json.

        Raises
        ------
        ValueError
            If the file is not there or holds no study.
        """
        try:
            return cls.read(Path(path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ValueError(f"{path}: no such file; run snakemake first, or name it") from None
        except ValueError as error:
            raise ValueError(f"{path}: no study of this version: {error}") from error

    def __getitem__(self, name: str) -> ExperimentPlan:
        """The experiment of a name."""
        return next(plan for plan in self.experiments if plan.name == name)

    @property
    def datasets(self) -> list[str]:
        """Names of all datasets that some experiment computes from."""
        named = (spec.dataset for plan in self.experiments for spec in plan.specs)
        return list(dict.fromkeys(name for name in named if name is not None))

    def shards(self, root: str | Path) -> Iterator[tuple[str, RunSpec]]:
        """Path and specification of every shard below a directory of runs."""
        for plan in self.experiments:
            yield from plan.shards(root)


def as_document(study: ResolvedStudy) -> dict[str, Any]:
    """The study as plain mappings, for documents that hold it."""
    return msgspec.to_builtins(study)
