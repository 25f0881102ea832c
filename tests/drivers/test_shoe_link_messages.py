"""The bytes of the messages of a shoe on our link, and the page that describes them."""

from pathlib import Path

from drivers.shoe.link import COMMANDS, REPLIES, GetStatus, ShoeFault, Status
from drivers.shoe.link_device import FAULTS
from tests.drivers.contract import golden

LINK_PAGE = (Path(__file__).parents[2] / "docs" / "protocols" / "link.md").read_text()


# --- the page


def page_rows(first_column: str) -> list[list[str]]:
    """The cells of the page's table whose heading begins with `first_column`."""
    _, _, after = LINK_PAGE.partition(f"\n| {first_column} |")
    return [
        [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        for row in after.split("\n\n")[0].splitlines()[2:]
    ]


def test_the_page_s_events_are_the_golden_ones() -> None:
    listed = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | EVENT of a shoe")]
    assert {payload.hex() for payload in listed} <= {text.replace(" ", "") for text in golden.EVENTS["shoe"]}
    assert len(listed) == 9


def test_the_page_s_command_and_reply_are_those_of_the_code() -> None:
    (command,) = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | COMMAND to a shoe")]
    (reply,) = [bytes.fromhex(payload) for payload, *_ in page_rows("payload | REPLY of a shoe")]
    assert COMMANDS.decode(command) == GetStatus()
    assert reply == REPLIES.encode(Status(lid_open=True, locked=False))


def test_the_page_lists_the_faults() -> None:
    listed = {int(number): name for number, name in page_rows("no. | fault of a shoe")}
    assert listed == {fault: fault.name.lower().replace("_", " ") for fault in FAULTS if isinstance(fault, ShoeFault)}
