"""The script of a page is bundled once for each user, and not kept where nothing can be kept."""

import base64
import gzip

import pytest

from syncmeter_analysis.render import page as module


@pytest.fixture
def bundles(monkeypatch):
    made = []
    bundle = "let a = '</script>';"
    monkeypatch.setattr(module.vl_convert, "javascript_bundle", lambda: made.append(1) or bundle)
    return made


def of_a_new_process():
    module.libraries.cache_clear()
    return module.libraries()


def unpacked(script):
    assert "<" not in script
    return gzip.decompress(base64.b64decode(script)).decode()


@pytest.fixture(autouse=True)
def forgotten():
    yield
    module.libraries.cache_clear()


def test_the_script_is_kept_for_the_next_report(tmp_path, monkeypatch, bundles):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert unpacked(of_a_new_process()) == unpacked(of_a_new_process()) == "let a = '</script>';"
    assert len(bundles) == 1
    assert len(list((tmp_path / "syncmeter").iterdir())) == 1


def test_where_nothing_can_be_kept_it_is_bundled_anew(tmp_path, monkeypatch, bundles):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert unpacked(of_a_new_process()) == unpacked(of_a_new_process()) == "let a = '</script>';"
    assert len(bundles) == 2
