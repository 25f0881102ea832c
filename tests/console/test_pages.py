"""The pages as they are sent: what they are, what they may load, and that nothing else of the disk is there."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from tablectl.console.pages import FOLDER, FRONT, POLICY, TYPES, read_pages
from tests.console.rig import error, house

VENDORED = FOLDER / "vendor" / "htm-preact.js"


@pytest.mark.parametrize("path", FRONT)
async def test_page_is_html_that_may_load_its_own_files_only(path: str) -> None:
    async with house() as here:
        answer = await here.screen().http.get(path)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_the_policy_runs_one_script_inside_and_nothing_foreign() -> None:
    assert "default-src 'none'" in POLICY
    assert not re.search(r"unsafe|https?:|\*", POLICY)
    inside = hashlib.sha256((FOLDER / "shared" / "again.js").read_bytes()).digest()
    assert re.findall(r"'sha[^']*'", POLICY) == [f"'sha256-{base64.b64encode(inside).decode()}'"]


@pytest.mark.parametrize("path", ["/dealer", "/display", "/surveillance"])
async def test_the_script_that_starts_a_page_again_stands_inside_it(path: str) -> None:
    async with house() as here:
        text = (await here.screen().http.get(path)).text
    (inside,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert inside == (FOLDER / "shared" / "again.js").read_text()


def test_another_file_or_other_words_make_another_build(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    before = read_pages(tmp_path).build
    assert read_pages(tmp_path).build == before
    assert read_pages(tmp_path, b"other words").build != before
    (tmp_path / "a.js").write_text("2")
    assert read_pages(tmp_path).build != before


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.html")), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_page_has_inline_script_or_style_or_foreign_calls(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:", text)
    assert not re.search(r"""(?:src|href)=["'](?!/|data:,)""", text)
    assert not re.search(r"""(?:src|href)=["']//""", text)


def _own_scripts() -> list[Path]:
    return [path for path in sorted(FOLDER.rglob("*.js")) if path != VENDORED]


@pytest.mark.parametrize("path", _own_scripts(), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_script_loads_or_evaluates_what_is_not_controllers_own(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\beval\(|new Function|innerHTML|dangerouslySetInnerHTML|document\.write", text)
    assert not re.search(r"""(?:\bfrom\s+|\bimport\s*\(?\s*)["'](?!/static/|\./|\.\./)""", text)


@pytest.mark.parametrize("path", _own_scripts(), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_grey_buttons_keep_the_focus(path: Path) -> None:
    assert not re.search(r"(?<!aria-)disabled=(?!\$\{!open )", path.read_text())


@pytest.mark.parametrize("path", _own_scripts(), ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_script_joins_a_list_by_one_languages_comma(path: Path) -> None:
    assert not re.search(r"""\.join\((["'])[,、]""", path.read_text())


@pytest.mark.parametrize(("name", "kind"), [("index.html", "text/html; charset=utf-8"), ("front.css", "text/css")])
async def test_a_file_says_what_it_is(name: str, kind: str) -> None:
    async with house() as here:
        answer = await here.screen().http.get(f"/static/{name}")
        assert answer.headers["Content-Type"].startswith(kind)
        assert answer.content == (FOLDER / name).read_bytes()


async def test_a_browser_that_has_the_file_is_sent_nothing() -> None:
    async with house() as here:
        http = here.screen().http
        first = await http.get("/dealer")
        assert first.headers["Cache-Control"] == "no-cache"
        again = await http.get("/dealer", headers={"If-None-Match": f'"other", W/{first.headers["ETag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        other = await http.get("/dealer", headers={"If-None-Match": '"other"'})
        assert other.status_code == 200


async def test_page_answers_head_and_get_only() -> None:
    async with house() as here:
        http = here.screen().http
        head = await http.head("/dealer")
        assert (head.status_code, head.content) == (200, b"")
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert error(await http.request(method, "/dealer"))[:2] == (405, "wrong_method")


def test_only_files_of_known_kinds_inside_the_folder_are_pages(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "static", tmp_path / "elsewhere"
    (folder / "deep").mkdir(parents=True)
    elsewhere.mkdir()
    (folder / "deep" / "a.js").write_text("1")
    (folder / "notes.txt").write_text("a draft")
    (elsewhere / "secret.js").write_text("2")
    (folder / "link.js").symlink_to(elsewhere / "secret.js")
    (folder / "linked").symlink_to(elsewhere)
    assert set(read_pages(folder).sheets) == {"/static/deep/a.js"}


def test_every_file_of_the_folder_has_a_kind() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= set(TYPES)


def test_the_library_is_the_published_one() -> None:
    header, _, library = VENDORED.read_bytes().partition(b"SHA-256 of what follows this line's end: ")
    named, _, content = library.partition(b"\n")
    assert hashlib.sha256(content).hexdigest() == named.decode()
    assert b"htm 3.1.1" in header
    assert b"Apache License 2.0" in header
    assert b"MIT License" in header
