"""The floor page's configuration: the example is one, and what is wrong is named with its line."""

import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config.errors import ConfigError
from tablectl.features.floor.cli import localized
from tablectl.features.floor.settings import FloorConfig, load_floor_config
from tablectl.words.reason import everywhere

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "floor-page.md").read_text("utf-8")
STORE = '[store]\nurl = "sqlite:/tmp/room.db"\n'


def test_the_example_configuration_is_one() -> None:
    config = load_floor_config(ROOT / "config" / "floor.example.toml", {})
    assert config.pits["north"] == ("macau/q1", "macau/q2")


def test_the_page_tells_of_every_key() -> None:
    told = {key.partition(".")[0] for key in re.findall(r"^\| `([a-z_]+\.[^`]+)`", PAGE, re.M)}
    assert told == set(FloorConfig.model_fields)


@pytest.mark.parametrize(
    "line",
    [
        "the floor page is at http://127.0.0.1:8090/",
        "the floor page can't listen on 127.0.0.1:8090: Address already in use",
        "connected to the broker",
        "pit P1: connected to the broker",
        "the recorder is at work",
        "the recorder was never at work",
        "mei (surveillance) signed on by pin",
        "wrong PIN for a name that nobody has, 2 in a row",
        "wrong PIN for mei, 5 in a row, locked",
        "mei looked at events outside of rounds",
        "mei has acknowledged fault 102 of shuffler at macau/q1",
        "mei has acknowledged fault 801 at macau/q1",
        "the broker at 127.0.0.1:1883 doesn't answer (Connection refused): is it running?",
    ],
)
def test_each_own_line_is_in_the_language_asked_for(line: str) -> None:
    for language in ("pt", "zh-Hant"):
        said = everywhere(localized(line, language))[language]
        english = set(re.findall(r"[a-z]{4,}", line)) & set(re.findall(r"[a-z]{4,}", said))
        assert english <= {"http", "surveillance", "shuffler", "macau", "broker"}, said


@pytest.mark.parametrize(
    ("settings", "line", "why"),
    [
        ('[pits]\nnorth = ["macau/+"]\n', 4, "name each table of a pit by itself"),
        ('[pits]\nnorth = ["macau/q1"]\nsouth = ["macau/q1"]\n', 5, "stands in pit north already"),
        ('[pits]\nnorth = ["q1"]\n', 4, "a table is site/table"),
        ("[tables.pace]\nq_poker = 0\n", 4, "1"),
        ("[tables.pace]\nchess = 3\n", 4, "q_poker"),
        ('[console]\nlisten = "0.0.0.0:8090"\n', 4, "TLS"),
        ('[broker]\nurl = "mqtt://x"\nca_file = "/ca.pem"\n', 4, "mqtts"),
        ("[people.mei]\n", 3, "required"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, settings: str, line: int, why: str) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(STORE + settings)
    with pytest.raises(ConfigError) as caught:
        load_floor_config(file, {})
    said = [problem.render("en") for problem in caught.value.problems]
    assert any(f"floor.toml:{line}" in each and why in each for each in said), said


def test_exit_codes_say_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(STORE)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        cases = (
            (["--config", str(tmp_path / "none.toml")], 66),
            (["--config", str(file), "--set", "tables.listen=3"], 78),
            (["--config", str(file), "--set", f"console.listen=127.0.0.1:{port}"], 69),
        )
        for options, code in cases:
            assert CliRunner().invoke(main, ["floor", "serve", *options]).exit_code == code, options
