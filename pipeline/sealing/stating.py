"""What a caller states instead of a person: digest, mailbox and operations, each in full and equal to the manifest's.

>>> parse_operations("archive=2,label=1").archive
2
"""

from dataclasses import dataclass

from pipeline.models.approval import ApprovedOperations
from pipeline.models.manifest import Manifest, Target
from pipeline.refusals import NotApproved, UsageRefused
from pipeline.sealing.authority import count_operations


@dataclass(frozen=True, slots=True)
class Stated:
    """What a caller said in words; empty = not said."""

    digest: str
    mailbox: str
    operations: str

    @property
    def is_whole(self) -> bool:
        """Whether everything was said."""
        return bool(self.digest and self.mailbox and self.operations)


def refuse_misstated(manifest: Manifest, targets: tuple[Target, ...], stated: Stated) -> None:
    """Silent when everything that was said is so. Raises NotApproved naming what differs, UsageRefused."""
    counts = count_operations(targets)
    differing = {
        "digest": stated.digest not in ("", manifest.sha256),
        "mailbox": stated.mailbox.casefold() not in ("", manifest.address.casefold()),
        "operations": stated.operations != "" and parse_operations(stated.operations) != counts,
    }
    wrong = [name for name, is_wrong in differing.items() if is_wrong]
    if wrong:
        raise NotApproved(f"the stated {' and '.join(wrong)} differ from the manifest's", evidence=spell(counts),
                          next_command=f"gmailtriage show {manifest.sha256}")  # fmt: skip


def parse_operations(text: str) -> ApprovedOperations:
    """`label=12,archive=30,create_label=3`; what is not named counts zero. Raises UsageRefused."""
    pairs = [part.strip().partition("=") for part in text.split(",")]
    found = {name: number for name, _, number in pairs}
    is_known = found.keys() <= ApprovedOperations.model_fields.keys() and len(found) == len(pairs)
    if not is_known or not all(number.isascii() and number.isdecimal() for number in found.values()):
        raise UsageRefused(
            "operations are spelled label=N,archive=N,create_label=N,trash=N", evidence=f"{len(pairs)} parts"
        )
    return ApprovedOperations(**{name: int(found.get(name, "0")) for name in ApprovedOperations.model_fields})


def spell(counts: ApprovedOperations) -> str:
    """The counts as `--operations` takes them."""
    return ",".join(f"{name}={number}" for name, number in counts.model_dump().items())
