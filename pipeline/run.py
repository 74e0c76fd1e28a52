"""Read the artifacts, call the function, write what it returns. Nothing else happens around a pure stage.

Beside each derived file stands `.made.json`: digests of the inputs' and the output's bytes, the stage's code and the
lock file.
Facts are loaded once for a whole chain of stages; derived values are handed on as they were written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pipeline.artifacts import CAPTURES, Artifact, Derived, Fact, Place, View
from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.config import REPOSITORY
from pipeline.evidence.captures import RawCapture
from pipeline.evidence.gather import EVIDENCE
from pipeline.gathering import Gathering, reads_mail
from pipeline.shelf import Shelf
from pipeline.stage import Stage
from pipeline.store import digest_of, exists, read_bytes, replace_file
from pipeline.workspace import Workspace


@dataclass
class Chain:
    """One process's run over a place: what was loaded or made so far, by artifact name."""

    place: Place
    stages: tuple[Stage, ...] = ()
    """What is going to be made: mail is read once for all of it."""
    values: dict[str, object] = field(default_factory=dict)
    is_preview: bool = False
    """A preview computes in memory and writes nothing at all; it believes no shard."""
    digests: dict[str, str] = field(default_factory=dict)

    def value(self, artifact: Artifact) -> object:
        """The artifact's value, loaded at most once."""
        if artifact.name not in self.values:
            self.values[artifact.name] = self._loaded(artifact)
        return self.values[artifact.name]

    def _loaded(self, artifact: Artifact) -> object:
        if artifact is EVIDENCE:
            return self._gathering.evidence
        return artifact.look(self.value(artifact.of)) if isinstance(artifact, View) else artifact.load(self.place)

    def make(self, stage: Stage) -> dict[str, object]:
        """Run one pure stage and write its outputs. Raises what the stage raises; then nothing is written."""
        outputs: dict[str, object] = {**self._gathering.whole(stage)} if reads_mail(stage) else self._run(stage)
        for artifact in stage.derived:
            if self.is_preview:
                self.values[artifact.name] = outputs[artifact.name]
            else:
                self._save(stage, artifact, outputs[artifact.name])
        return outputs

    def _run(self, stage: Stage) -> dict[str, object]:
        return stage.outputs(stage.run(**{artifact.name: self.value(artifact) for artifact in stage.reads}))

    @cached_property
    def _gathering(self) -> Gathering:
        folder = None if self.is_preview else self.place.workspace.shards
        captures: tuple[RawCapture, ...] = self.value(CAPTURES)  # type: ignore[assignment]  # what that fact loads
        stages = tuple(filter(reads_mail, self.stages))
        return Gathering(captures, stages, self.value, self._input_digest, Shelf(folder), self.place.processes)

    def _save(self, stage: Stage, artifact: Derived, value: object) -> None:
        self.digests[artifact.name] = artifact.save(self.place, value)
        self.values[artifact.name] = value
        path = artifact.path(self.place.workspace)
        made = {
            "artifact": artifact.name,
            "stage": stage.name,
            "output": self.digests[artifact.name],
            "inputs": {one.name: self._input_digest(one) for one in stage.reads},
            "code": _digest(Path(stage.run.__code__.co_filename)),
            "lock": _digest(REPOSITORY / "locks" / "all.txt"),
        }
        replace_file(path.with_name(f"{path.name}.made.json"), canonical_bytes(made))

    def _input_digest(self, artifact: Artifact) -> str:
        """Worked out once for the chain: a fact was loaded once too, and derived values are those that were written."""
        if artifact.name not in self.digests:
            self.digests[artifact.name] = (
                sha256_hex(artifact.encode(self.value(artifact)))
                if isinstance(artifact, Derived)
                else fact_digest(artifact, self.place)
            )
        return self.digests[artifact.name]


def make_all(stages: Iterable[Stage], place: Place) -> dict[str, object]:
    """Run pure stages in order in one process; returns every value by artifact name."""
    return _made(Chain(place, tuple(stages)))


def _made(chain: Chain) -> dict[str, object]:
    for stage in chain.stages:
        chain.make(stage)
    return chain.values


def preview(stages: Iterable[Stage], place: Place) -> dict[str, object]:
    """The same in memory: nothing is written."""
    return _made(Chain(place, tuple(stages), is_preview=True))


def fact_digest(fact: Fact, place: Place) -> str:
    """A digest of the files behind a fact: seals stand for captures, the owner's files for themselves."""
    if fact.is_in_config:
        return sha256_hex(canonical_bytes(_owner_pins(place)))
    workspace = place.workspace
    files = [path for path in workspace.fact_files() if _stands_for_itself(path)]
    return sha256_hex(canonical_bytes({str(p.relative_to(workspace.root)): sha256_hex(read_bytes(p)) for p in files}))


def facts_digest(place: Place) -> str:
    """A digest of every byte that a pure stage may rest on: the facts but manifests, and the owner's files."""
    workspace = place.workspace
    read = (one for one in workspace.fact_files() if _is_read_by_stages(one, workspace))
    files = {str(path.relative_to(workspace.root)): digest_of(path) for path in read}
    return sha256_hex(canonical_bytes([files, _owner_pins(place)]))


def _owner_pins(place: Place) -> list[dict[str, object]]:
    """Name and digest of each of the owner's files, as JSON values."""
    config = place.config
    pins = (config.pinned_policy(), config.pinned_record(), *config.pinned_rules())
    return [pin.model_dump(mode="json") for pin in pins]


def _is_read_by_stages(path: Path, workspace: Workspace) -> bool:
    """A manifest and the copies of what it pins are outputs; an approval says which decisions log is evidence."""
    return not path.is_relative_to(workspace.manifests) or ".approval" in path.suffixes


def _stands_for_itself(path: Path) -> bool:
    """A capture's seal names the digests of its packs, so the packs need not be read again."""
    return path.suffix != ".pack" and path.name != "index.jsonl"


def _digest(path: Path) -> str:
    return sha256_hex(read_bytes(path)) if exists(path) else "absent"


def digests(values: Mapping[str, object], stages: Iterable[Stage]) -> dict[str, str]:
    """The digest of every derived artifact of a finished chain."""
    return {a.name: a.digest(values[a.name]) for stage in stages for a in stage.derived if a.name in values}
