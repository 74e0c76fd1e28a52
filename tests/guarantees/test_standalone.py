"""docs/verify_receipts.py, the check that a stranger runs: on the standard library alone it finds what verify does."""

import gc
import importlib.util
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from pipeline.canonical import canonical_bytes, sha256_hex
from pipeline.credentials import PUBLISHED_KEY
from pipeline.docs import schemas
from pipeline.models.capture import IndexRow
from pipeline.models.manifest import NewLabel
from pipeline.refusals import Refusal, WrongDigest
from stages.revoke import revoke
from stages.verify import verify
from tests.fakes import KEY, Killed, Template, World, killing, mail, no_fsync
from tests.guarantees.executions import rechained
from tests.guarantees.test_grants import WISHES, grant_of, label, put
from tests.sweeps import sweep

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "verify_receipts.py"


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_receipts", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


alone: Any = _loaded()
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with no_fsync():
        yield


@pytest.fixture(scope="module", params=["labels", "trash"])
def whole(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Two captures, two manifests (the second pins the first's receipts), two runs, one undone, one in part."""
    root, is_trash = tmp_path_factory.mktemp("world"), request.param == "trash"
    messages = [mail(f"m{n}", "INBOX") for n in (1, 2, 3)]
    world = World.make(root, messages, status="cleanup-enabled" if is_trash else "organize-only")
    world.execute(world.ready({"m1": "trash"} if is_trash else {"m1": "archive"}, NewLabel(create="Jobs")))
    world.clock.pass_minutes(1)
    world.undo()
    world.clock.pass_minutes(1)
    world.capture()
    world.execute(world.ready(dict.fromkeys(("m2", "m3"), "trash") if is_trash else {"m2": "label", "m3": "archive"}))
    world.clock.pass_minutes(1)
    world.undo(only="m3")
    return Template(world)


def stranger(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The file in a process of its own: no site packages, no variables, not our folder."""
    command = [sys.executable, "-I", "-S", str(FILE), *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd="/", check=False)


def refused(root: Path, key: bytes | None = KEY) -> list[str]:
    """Files that the stand-alone check calls altered or missing."""
    found = alone.examine(root, None, key).findings
    return [one.file for one in found if one.kind != "unfinished"]


def is_refused_by_us(world: World) -> bool:
    """Whether the command refuses."""
    try:
        verify(world.context)
    except WrongDigest:
        return True
    return False


@pytest.mark.contract("AP-8", "P4")
def test_a_stranger_finds_the_demos_facts_sound_without_our_package_or_any_other() -> None:
    said = stranger(str(ROOT), "--demo-key")
    assert (said.returncode, said.stderr) == (0, "")
    assert "1 manifests, 1 approvals, 2 receipts, 1 captures" in said.stdout and "who wrote them" not in said.stdout
    assert "who wrote them" in stranger(str(ROOT)).stdout


def test_it_imports_nothing_but_the_standard_library() -> None:
    found = {
        line.split()[1].split(".")[0] for line in FILE.read_text().splitlines() if line.startswith(("import ", "from "))
    }
    assert found and found <= sys.stdlib_module_names


def test_the_key_comes_from_a_file_or_the_environment_and_another_key_is_noticed(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text(PUBLISHED_KEY.hex() + "\n")
    wrong.write_text("ab" * 32)
    assert stranger(str(ROOT), "--key-file", str(right)).returncode == 0
    assert stranger(str(ROOT), GMAILTRIAGE_APPROVAL_KEY=PUBLISHED_KEY.hex()).returncode == 0
    said = stranger(str(ROOT), "--key-file", str(wrong), "--json")
    assert said.returncode == 3 and json.loads(said.stdout)["holds"] is False and "MAC" in said.stdout
    assert PUBLISHED_KEY.hex() not in said.stdout


@pytest.mark.parametrize("words", [(), ("/nonexistent",), ("/", "--key-file", "/nonexistent"), ("/", "--odd")])
def test_a_wrong_command_line_is_usage(words: tuple[str, ...]) -> None:
    assert stranger(*words).returncode == 2


def test_it_knows_every_field_and_every_word_of_the_schemas() -> None:
    objects, words = set(), set()

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if "properties" in node:
                objects.add(frozenset(node["properties"]))
            words.update([frozenset(node["enum"])] if "enum" in node else [])
            words.update([frozenset([node["const"]])] if "const" in node else [])
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            walk(inner)

    for schema in schemas().values():
        walk(schema)
    known = [one for one in gc.get_objects() if type(one).__module__ == alone.__name__]
    shapes = {frozenset(one.fields) for one in known if isinstance(one, alone.Shape)}
    assert shapes == objects | {frozenset(alone.HEAD.fields), frozenset(IndexRow.model_fields)}
    ours = {frozenset(one.known) for one in known if isinstance(one, alone.OneOf)}
    assert [some for some in words if not any(some <= one for one in ours)] == []
    assert frozenset().union(*ours) - {None, True, False} == frozenset().union(*words) - {None, True, False}


@pytest.mark.contract("AP-1")
@given(st.recursive(LEAVES, lambda some: st.lists(some) | st.dictionaries(st.text(), some)))
def test_its_canonical_form_is_that_of_the_rfc(value: object) -> None:
    try:
        wanted = rfc8785.dumps(value)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        with pytest.raises(alone.Altered):
            alone.canonical(value)
    else:
        assert alone.canonical(value) == wanted


@pytest.mark.contract("P4", "AP-1", "AP-8")
def test_a_flipped_bit_or_a_cut_in_any_file_is_found_with_and_without_the_key(whole: Template, tmp_path: Path) -> None:
    world, random, hits = whole.fresh(tmp_path / "w"), Random(5), Counter[str]()
    root = world.context.workspace.root
    facts = world.context.workspace.fact_files()
    assert refused(root) == refused(root, None) == []
    for number in range(max(len(facts) * 6, sweep(1500))):
        path, data = facts[number % len(facts)], facts[number % len(facts)].read_bytes()
        is_cut = number // len(facts) % 2 == 1
        path.write_bytes(data[: random.randrange(len(data))] if is_cut else flipped(data, random))
        found, without = refused(root), refused(root, None)
        path.write_bytes(data)
        assert found and without, (path, number)
        hits[f"{path.suffix or 'copy'} {'cut' if is_cut else 'flipped'}"] += 1
    print("found", dict(hits))
    assert len(hits) == 12


def flipped(data: bytes, random: Random) -> bytes:
    """One bit the other way round."""
    changed = bytearray(data)
    changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


Damage = Callable[[Path, Random], None]


def _drop(path: Path, random: Random) -> None:
    path.unlink()


def _lose_a_line(path: Path, random: Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[random.randrange(len(lines))]
    path.write_bytes(b"".join(lines))


def _double_a_line(path: Path, random: Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(0, lines[random.randrange(len(lines))])
    path.write_bytes(b"".join(lines))


def _lose_the_end(path: Path, random: Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: random.randrange(len(lines) + 1)]))


def _respell(path: Path, random: Random) -> None:
    path.write_bytes(path.read_bytes().replace(b'":', b'": ', 1))


def _grow(path: Path, random: Random) -> None:
    path.write_bytes(path.read_bytes() + random.choice((b"\n", b" ", b"{}\n", b'{"torn')))


def _swap(path: Path, random: Random) -> None:
    other = random.choice([one for one in path.parent.iterdir() if one.is_file()])
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


def _rename(path: Path, random: Random) -> None:
    path.rename(path.with_name(flipped_name(path.name, random)))


def flipped_name(name: str, random: Random) -> str:
    """Another hex digit somewhere in a name."""
    place = random.choice([n for n, char in enumerate(name) if char in "0123456789abcdef"])
    return name[:place] + ("0" if name[place] != "0" else "1") + name[place + 1 :]


def _reseal(path: Path, random: Random) -> None:
    """Another value under a name that fits: only what the documents say of each other can tell."""
    if path.suffix != ".json" or ".approval." in path.name or path.parent.name != "manifests":
        return
    manifest = json.loads(path.read_bytes())
    manifest["counts"][random.choice(["label", "archive", "create_label"])] += 1
    data = canonical_bytes(manifest)
    path.unlink()
    path.with_name(f"{sha256_hex(data)}.json").write_bytes(data)


DAMAGE: tuple[Damage, ...] = (
    _drop, _lose_a_line, _double_a_line, _lose_the_end, _respell, _grow, _swap, _rename, _reseal
)  # fmt: skip


@pytest.mark.contract("P4", "AP-8")
def test_it_says_what_the_command_says_of_generated_damage(whole: Template, tmp_path: Path) -> None:
    random, hits = Random(6), Counter[str]()
    world = whole.fresh(tmp_path / "w")
    root, files = world.context.workspace.root, world.files()
    facts = world.context.workspace.fact_files()
    for number in range(max(len(facts) * len(DAMAGE), sweep(1500))):
        path, damage = facts[number % len(facts)], DAMAGE[number // len(facts) % len(DAMAGE)]
        damage(path, random)
        ours, theirs = is_refused_by_us(world), bool(refused(root))
        assert ours == theirs, (number, path, damage.__name__, alone.examine(root, None, KEY).findings)
        hits[f"{damage.__name__} {'refused' if ours else 'told or nothing'}"] += 1
        put_back(world, files)
    print("verdicts", dict(hits))
    assert sum(number for name, number in hits.items() if name.endswith("refused")) > len(facts)


@pytest.mark.contract("P4", "EV-1")
def test_captures_that_are_gone_are_missing_unless_they_were_left_out_on_purpose(
    whole: Template, tmp_path: Path
) -> None:
    world = whole.fresh(tmp_path / "w")
    root = world.context.workspace.root
    shutil.rmtree(root / "data" / "raw")
    assert is_refused_by_us(world)
    assert refused(root) and all("/raw/" in one for one in refused(root))
    assert {one.kind for one in alone.examine(root, None, KEY).findings} == {"missing"}
    assert alone.examine(root, None, KEY, is_without_mail=True).findings == []
    said = stranger(str(root), "--without-mail", GMAILTRIAGE_APPROVAL_KEY=KEY.hex())
    assert said.returncode == 0 and "unchecked  the captures" in said.stdout
    assert stranger(str(root), GMAILTRIAGE_APPROVAL_KEY=KEY.hex()).returncode == 3


Forge = Callable[[dict[str, Any], list[dict[str, Any]]], object]
FORGED: dict[str, Forge] = {
    "counts": lambda seal, rows: seal["counts"].update(getProfile=9),
    "a method nobody asked": lambda seal, rows: seal["counts"].update({"messages.get": 1}),
    "account": lambda seal, rows: seal.update(account="another"),
    "id": lambda seal, rows: seal.update(id="20261123T100000Z-99"),
    "an unknown field": lambda seal, rows: seal.update(extra=1),
    "a purpose nobody knows": lambda seal, rows: seal.update(purposes=["everything"]),
    "a size": lambda seal, rows: seal["files"][0].update(size=seal["files"][0]["size"] + 1),
    "a body beyond its pack": lambda seal, rows: rows[0].update(length=10**6),
    "another body": lambda seal, rows: rows[0].update(sha256="0" * 64),
    "a body without a digest": lambda seal, rows: rows[0].update(sha256=None),
    "a row twice": lambda seal, rows: rows.append(rows[0]),
}


@pytest.mark.contract("P4", "EV-1")
@pytest.mark.parametrize("name", FORGED)
def test_a_capture_that_nothing_pins_and_that_was_sealed_anew_is_still_found(
    whole: Template, tmp_path: Path, name: str
) -> None:
    """Its own digests are right again: what it says of itself does not add up."""
    world = whole.fresh(tmp_path / "w")
    world.clock.pass_minutes(1)
    place = world.context.workspace.raw / world.capture()
    root = world.context.workspace.root
    assert not is_refused_by_us(world) and refused(root) == refused(root, None) == []
    seal = json.loads((place / "capture.json").read_bytes())
    rows = [json.loads(line) for line in (place / "index.jsonl").read_bytes().splitlines()]
    FORGED[name](seal, rows)
    index = b"".join(canonical_bytes(row) + b"\n" for row in rows)
    (place / "index.jsonl").write_bytes(index)
    for file in seal["files"]:
        if file["name"] == "index.jsonl":
            file |= {"sha256": sha256_hex(index), "size": len(index)}
    seal["checksum"] = sha256_hex(canonical_bytes({**seal, "checksum": ""}))
    (place / "capture.json").write_bytes(canonical_bytes(seal))
    assert is_refused_by_us(world)
    assert refused(root) == refused(root, None) == [f"data/raw/loop/{place.name}"]


STRAYS = ("manifests/notes.json", "manifests/old", "manifests/a.approval.json", "manifests/grants/x.json",
          "manifests/inputs/x", "data/raw/loop/20261123T100000Z-77/index.jsonl", "receipts/x.jsonl")  # fmt: skip


@pytest.mark.contract("P4", "AP-8")
@pytest.mark.parametrize("name", STRAYS)
def test_what_is_no_document_and_lies_among_them_is_named_by_both(whole: Template, tmp_path: Path, name: str) -> None:
    """A document under another name is read by nobody; only a name with a dot before it is not yet one."""
    world = whole.fresh(tmp_path / "w")
    root = world.context.workspace.root
    for stray, is_refused in ((root / name, True), ((root / name).with_name(".x.part"), "raw" in name)):
        stray.parent.mkdir(parents=True, exist_ok=True)
        stray.write_bytes(b"{}")
        assert (is_refused_by_us(world), bool(refused(root)), bool(refused(root, None))) == (is_refused,) * 3, stray
        stray.unlink()
        if "raw" in name and is_refused:
            stray.parent.rmdir()


@pytest.mark.contract("P4", "EV-1")
def test_a_hidden_file_in_a_sealed_capture_is_found_by_both(whole: Template, tmp_path: Path) -> None:
    world = whole.fresh(tmp_path / "w")
    capture = next(one for one in sorted(world.context.workspace.raw.iterdir()))
    (capture / ".more").write_bytes(b"{}")
    assert is_refused_by_us(world) and refused(world.context.workspace.root) == [f"data/raw/loop/{capture.name}"]


def put_back(world: World, files: dict[str, bytes]) -> None:
    """The tree as it was."""
    root = world.context.workspace.root
    now = world.files()
    for name in now.keys() - files.keys():
        (root / name).unlink()
    for name, data in files.items():
        if now.get(name) != data:
            (root / name).write_bytes(data)


def test_an_interrupted_run_is_told_and_not_refused(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    digest = world.ready()
    for at in range(1, 40):
        with killing(world, at, []), suppress(Killed, Refusal):
            world.execute(digest)
        found = alone.examine(world.context.workspace.root, None, KEY).findings
        assert all(one.kind == "unfinished" for one in found), found


@pytest.mark.contract("AP-6", "P2")
@pytest.mark.parametrize("status", ["verified", "conflict", "vanished", "failed"])
def test_a_false_end_in_a_receipt_that_was_written_anew_is_found_without_the_key(tmp_path: Path, status: str) -> None:
    """Chain, counts and closing digest made right again: what was read back still says what became of the message."""
    world = World.make(tmp_path, [mail("m1", "INBOX"), mail("m2", "INBOX")])
    run = world.execute(world.ready({"m1": "archive", "m2": "label"})).run
    root = world.context.workspace.root
    path = root / "receipts" / f"{run}.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    backs = [line for line in lines if line["event"] == "read_back"]
    if status == "verified":
        backs[0]["after"][0]["label_ids"] = ["INBOX"]
    else:
        backs[0]["after"][0]["status"] = status
        lines[-1]["statuses"] |= {"verified": 1, status: 1}
    data = rechained(b"".join(canonical_bytes(line) + b"\n" for line in lines), {})
    path.write_bytes(data)
    (root / "receipts" / f"{run}.closed").write_bytes(sha256_hex(data).encode())
    assert refused(root, None) == [f"receipts/{run}.jsonl"]


@pytest.mark.contract("AP-12", "P4")
def test_a_grant_and_a_run_under_it_hold_and_one_altered_byte_of_them_is_found(tmp_path: Path) -> None:
    world = World.make(tmp_path, [mail(f"m{n}", "INBOX") for n in range(1, 6)], batch_size=2)
    world.plan(WISHES)
    digest = put(world, grant_of(world))
    label(world)
    revoke(world.context, digest)
    root = world.context.workspace.root
    assert refused(root) == refused(root, None) == []
    for path in world.context.workspace.fact_files():
        data = path.read_bytes()
        for at in (0, len(data) // 2, len(data) - 1):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            assert refused(root) and (refused(root, None) or path.suffix == ".head"), path
        path.write_bytes(data)
    (root / "manifests" / "grants" / f"{digest}.json").unlink()
    assert refused(root, None) == [f"manifests/grants/{digest}.json"]
