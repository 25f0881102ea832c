"""The form of a configuration's devices."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, Field

from drivers.devices import kinds, linked_kinds
from tablectl.config.values import STRICT, BaudRate, Port

PORT: Final = (
    "`serial:<path>` or `tcp://host:port`, a relative path lies in the runtime folder; on our link also "
    "`usb:VID:PID` or `usb:VID:PID:serial`"
)


class Identity(BaseModel):
    """The approved device; an empty text stands for any."""

    model_config = STRICT
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""


class ShoeSection(BaseModel):
    """A shoe that reads its cards."""

    model_config = STRICT
    kind: Literal["shoe"] = Field(description="what it is")
    protocol: Literal["angel_eye", "link"] = Field(
        description="what it speaks: our link, or an Angel Eye's own, where its port is its identity"
    )
    port: Port = Field(description=PORT)
    baudrate: BaudRate = Field(default=4800, description="bits per second; on our link mostly 115200")
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    bcc_includes_stx: bool = Field(
        default=False, description="which reading of a command's check characters an Angel Eye shoe wants"
    )
    vote_window_ms: int = Field(
        default=600, ge=50, le=5000, description="how long an Angel Eye's three copies of a report are waited for"
    )
    read_only: bool = Field(default=True, description="whether an Angel Eye is only listened to, never commanded")
    expect: Identity = Field(default=Identity(), description="on our link, the approved device; an empty text: any")


_OWN_SECTIONS: Final = ("shoe", "display", "wheel")
"""The kinds of devices with settings of their own, or with a choice of protocols."""

ON_LINK: Final = tuple(kind for kind in linked_kinds() if kind not in _OWN_SECTIONS)
if TYPE_CHECKING:
    LinkKind = str
else:
    LinkKind = Literal[ON_LINK]


class LinkSection(BaseModel):
    """A device on our link: a shuffler, the draw system, a dice reader, a buzzer."""

    model_config = STRICT
    kind: LinkKind = Field(description="what it is")
    protocol: Literal["link"] = Field(description="what it speaks")
    port: Port = Field(description=PORT)
    baudrate: BaudRate = Field(default=115_200, description="bits per second")
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    expect: Identity = Field(default=Identity(), description="the approved device; an empty text: any")


class DisplaySection(BaseModel):
    """The display of the draw."""

    model_config = STRICT
    kind: Literal["display"] = Field(description="what it is")
    protocol: Literal["link", "am03127"] = Field(
        description="what it speaks: our link, which reads back what is shown, or an LED board's AM03127"
    )
    port: Port = Field(description=PORT)
    baudrate: BaudRate = Field(default=115_200, description="bits per second; an LED board's are mostly 9600")
    board: int = Field(default=1, ge=1, le=255, description="the LED board's number")
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    expect: Identity = Field(default=Identity(), description="the approved device; an empty text: any")


class WheelSection(BaseModel):
    """The sensor of the wheel's position."""

    model_config = STRICT
    kind: Literal["wheel"] = Field(description="what it is")
    protocol: Literal["usb", "qsb"] = Field(description="what it speaks: our USB sensor, or a US Digital QSB")
    port: Port = Field(description="`usb:VID:PID` or `usb:VID:PID:serial`, or a QSB's `serial:<path>`")
    baudrate: BaudRate = Field(default=230_400, description="bits per second of a QSB")
    counts_per_turn: int = Field(default=8192, ge=4096, le=1_000_000, description="of the encoder, all edges counted")
    rising: Literal["cw", "ccw"] = Field(
        default="cw", description="which way the wheel turns, seen from the players, when counts rise"
    )
    index_width: int = Field(
        default=0, ge=0, le=10_000, description="counts from the index mark's one edge to the other"
    )
    calibration: str = Field(
        default="wheel/52-even.toml", description="the table of peg angles: a shipped one, or a path"
    )
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    expect: Identity = Field(default=Identity(), description="the approved device; an empty text: any")


Device = Annotated[ShoeSection | LinkSection | DisplaySection | WheelSection, Field(discriminator="kind")]
Linked = LinkSection | DisplaySection | ShoeSection

_OWN: Final[Mapping[str, type[BaseModel]]] = {"shoe": ShoeSection, "display": DisplaySection, "wheel": WheelSection}
KINDS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType({kind: _OWN.get(kind, LinkSection) for kind in kinds()})
"""The form of each kind of device."""
