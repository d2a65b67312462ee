"""Compressed results files: read like others, also where a campaign was killed; written on request."""

import gzip
import lzma
import sys

import pytest
import zstandard

from syncmeter_analysis.command import main
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.reader import read_results
from tests.made import around, campaign, point, visits, write


@pytest.fixture
def plain(tmp_path):
    return write(tmp_path / "r.jsonl", visits(around(5.0), point(type="int32")))


def packed(path):
    """As the driver writes it: one frame with a block for each line. Without the frame's end, with it,
    and how long it is after each line."""
    packer = zstandard.ZstdCompressor().compressobj()
    done, sizes = b"", []
    for line in path.read_bytes().splitlines(keepends=True):
        done += packer.compress(line) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        sizes.append(len(done))
    return done, done + packer.flush(), sizes


def test_a_compressed_file_holds_what_the_plain_one_does(tmp_path, plain):
    _, whole, _ = packed(plain)
    (tmp_path / "r.jsonl.zst").write_bytes(whole)
    read, expected = read_results(tmp_path / "r.jsonl.zst"), read_results(plain)
    assert (read.visits, read.campaign, read.notes) == (expected.visits, expected.campaign, [])


def test_frames_of_several_runs_are_one_file(tmp_path, plain):
    begun, *rest = plain.read_bytes().splitlines(keepends=True)
    packer = zstandard.ZstdCompressor()
    frames = [packer.compress(part) for part in (begun + rest[0], b"".join(rest[1:]))]
    (tmp_path / "r.zst").write_bytes(b"".join(frames))
    assert len(read_results(tmp_path / "r.zst").visits) == 5


def test_cut_off_anywhere_it_loses_the_line_under_way(tmp_path, plain):
    open_frame, _, sizes = packed(plain)
    for size in range(sizes[2], len(open_frame) + 1):
        (tmp_path / "r.zst").write_bytes(open_frame[:size])
        # The first line is the campaign's.
        assert len(read_results(tmp_path / "r.zst").visits) == sum(size >= s for s in sizes[1:])


def test_a_damaged_file_is_named(tmp_path, plain):
    _, whole, sizes = packed(plain)
    # A block of a kind that there is not.
    damaged = whole[: sizes[1]] + b"\xff\xff\xff" + whole[sizes[1] + 3 :]
    (tmp_path / "r.zst").write_bytes(damaged)
    with pytest.raises(Unusable, match=r"r\.zst: damaged: "):
        read_results(tmp_path / "r.zst")


def test_without_its_package_the_file_and_the_package_are_named(tmp_path, plain, monkeypatch):
    _, whole, _ = packed(plain)
    (tmp_path / "r.zst").write_bytes(whole)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(Unusable, match=r"r\.zst is a compressed file, which needs .* zstandard"):
        read_results(tmp_path / "r.zst")
    assert read_results(plain).visits


def test_a_shared_copy_is_compressed_where_its_name_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = campaign(argv=["/home/somebody/syncmeter"])
    source = write(tmp_path / "r.jsonl", visits(around(5.0), point(type="int32")), first=first)
    _, whole, _ = packed(source)
    (tmp_path / "r.jsonl.zst").write_bytes(whole)
    assert main(["share", "r.jsonl.zst"]) == 0
    shared = (tmp_path / "r-shared.jsonl").read_text()
    assert "somebody" not in shared
    assert main(["share", "r.jsonl.zst", "-o", "s.zst"]) == 0
    written = (tmp_path / "s.zst").read_bytes()
    assert zstandard.ZstdDecompressor().decompressobj().decompress(written).decode() == shared


@pytest.mark.parametrize("module", [gzip, lzma])
def test_a_copy_of_a_file_of_any_compression_has_a_plain_name(tmp_path, plain, monkeypatch, module):
    monkeypatch.chdir(tmp_path)
    suffix = {gzip: ".gz", lzma: ".xz"}[module]
    (tmp_path / f"r.jsonl{suffix}").write_bytes(module.compress(plain.read_bytes()))
    assert main(["share", f"r.jsonl{suffix}"]) == 0
    shared = (tmp_path / "r-shared.jsonl").read_text()
    # A file named as compressed is read as such, so that it has to be.
    assert main(["share", f"r.jsonl{suffix}", "-o", f"s.jsonl{suffix}"]) == 0
    assert module.decompress((tmp_path / f"s.jsonl{suffix}").read_bytes()).decode() == shared
    assert read_results(tmp_path / f"s.jsonl{suffix}").visits


# gzip cannot: it packs 1032 times as small at most.
@pytest.mark.parametrize("name", ["r.jsonl.zst", "r.jsonl.xz"])
def test_what_becomes_longer_than_results_can_be_is_refused(tmp_path, plain, name):
    text = plain.read_bytes() + (b" " * 4095 + b"\n") * (50 << 10)
    bomb = tmp_path / name
    packed = zstandard.ZstdCompressor().compress if name.endswith("zst") else lzma.compress
    bomb.write_bytes(packed(text))
    with pytest.raises(Unusable, match="results of its size can be"):
        read_results(bomb)


def test_what_is_no_regular_file_is_read_to_a_limit(monkeypatch, tmp_path, plain):
    from syncmeter_analysis.record import text_file

    monkeypatch.setattr(text_file, "_most_of_a_stream", 10 << 20)
    with pytest.raises(Unusable, match="more than 10 MiB come from it"):
        read_results("/dev/zero")
