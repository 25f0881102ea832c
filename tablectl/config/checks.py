"""Checks of a configuration of the right form; a failed one keeps the table down."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tablectl.config.console import console_complaints
from tablectl.config.errors import Complaint, KeyPath, Text, worded
from tablectl.config.files import authority_complaints, tls_complaints
from tablectl.config.games import BetStakes, FootballPokerSection, QPokerSection, Stakes, ThirteenCardsSection
from tablectl.config.models import USB_DEVICES, Config, MqttSection
from tablectl.config.validation import nearest
from tablectl.config.values import secret_file
from tablectl.core.bets.ratios import Ratio
from tablectl.core.events.text import Saying
from tablectl.core.money import floor_share, format_money
from tablectl.edited_files import read_secret
from tablectl.rule_tables import GAMES, RulesError, found, game_record, load_rules

ON_USB: Final = frozenset({"link", "usb"})
ONLY_ON_USB: Final = frozenset({"usb"})
TLS_FILES: Final = ("ca_file", "cert_file", "key_file")
LEAST_Q_POKER_PLACES: Final = 7
"""Eight seats or more, the dealer's among them. Rule: 89/2004 art. 2(1)."""

FOOTBALL_POKER_PLACES: Final = 10
"""Beside the common place. Rule: 41/2003 art. 5(1)."""


def complaints(config: Config) -> Iterator[Complaint]:
    """Everything that stops a table from running with this configuration."""
    yield from _places(config)
    yield from _rules(config)
    yield from _stakes((config.table.game, "stakes"), config.game.stakes)
    yield from _limits(config)
    yield from _unit(config)
    yield from _broker(config.mqtt)
    yield from console_complaints(config)
    yield from _ports(config)
    yield from _other_games(config)
    for kind in game_record(config.table.game).devices:
        yield from _device(config, kind)
    yield from _lacking(config)
    if config.table.game == "wheel_of_fortune":
        from tablectl.config.wheel import wheel_complaints

        yield from wheel_complaints(config)
    for name, witness in config.witnesses.items():
        if witness.ca_file:
            yield from authority_complaints(("witnesses", name, "ca_file"), witness.ca_file)


def is_simulated(config: Config) -> bool:
    """Return True if anything at the table is simulated.

    Then all messages of the table are marked so.
    """
    on_usb = config.usb.watch and is_usb_simulated(config)
    return on_usb or any(item.simulated for item in (*config.devices.values(), *config.people.values()))


def is_usb_simulated(config: Config) -> bool:
    """Return True if the USB devices are read from another place than the kernel's."""
    return config.usb.devices != USB_DEVICES


def devices_of(config: Config, kind: str) -> tuple[str, ...]:
    """The names of all devices of a kind."""
    return tuple(name for name, device in config.devices.items() if device.kind == kind)


def device_of(config: Config, kind: str) -> str:
    """Return the name of the game's device of this kind; empty where there is none."""
    named: str = getattr(config.game, kind)
    return named or next(iter(devices_of(config, kind)), "")


def runtime_dir(config: Config) -> Path:
    """Where sockets, locks and simulated ports lie."""
    return Path(config.paths.runtime or _first_of("RUNTIME_DIRECTORY") or "/run/tablectl")


def state_dir(config: Config) -> Path:
    """Where the journal lies."""
    return Path(config.paths.state or _first_of("STATE_DIRECTORY") or f"/var/lib/tablectl/{config.table.name}")


def copies_dir(config: Config) -> Path | None:
    """Where the second copy of the journal lies; None where none is kept."""
    return Path(config.paths.copy_to) if config.paths.copy_to else None


def port_address(config: Config, name: str) -> str:
    """A device's port, a relative path made absolute."""
    port = config.devices[name].port
    scheme, _, path = port.partition(":")
    return f"serial:{runtime_dir(config) / path}" if scheme == "serial" else port


def _first_of(variable: str) -> str:
    """Return the first folder in a variable of systemd.

    The variable names one folder, or several parted by colons.
    """
    return os.environ.get(variable, "").partition(":")[0]


def unlawful_places(config: Config) -> Saying | None:
    """Return the regulation's requirement on seats if the table doesn't meet it.

    Rule: 89/2004 art. 2(1); 41/2003 art. 5(1).
    """
    match config.game:
        case QPokerSection(places=places) if places < LEAST_Q_POKER_PLACES:
            return worded("remark.few_places", least=LEAST_Q_POKER_PLACES)
        case FootballPokerSection(places=places) if places != FOOTBALL_POKER_PLACES:
            return worded("remark.other_places", exactly=FOOTBALL_POKER_PLACES)
        case _:
            return None


def _places(config: Config) -> Iterator[Complaint]:
    """Check that the table has the seats that its regulation asks for.

    A simulated table may do with fewer.
    """
    unlawful = unlawful_places(config)
    if unlawful and not is_simulated(config):
        yield Complaint((config.table.game, "places"), unlawful)


def _rules(config: Config) -> Iterator[Complaint]:
    """Check that the rule table can be played."""
    try:
        load_rules(config.table.game, found(config.game.rules))
    except RulesError as error:
        yield Complaint((config.table.game, "rules"), worded("rules_unusable", why=error))


def _stakes(here: KeyPath, stakes: Stakes) -> Iterator[Complaint]:
    """Check the limits of one bet."""
    for name, amount in (("least", stakes.least), ("most", stakes.most), ("step", stakes.step)):
        if amount == 0:
            yield Complaint((*here, name), worded("more_than_zero"))
    if stakes.least > stakes.most:
        yield Complaint((*here, "least"), worded("least_above_most"))
    if stakes.step and stakes.least % stakes.step:
        yield Complaint((*here, "least"), worded("least_off_step"))
    if stakes.step and stakes.most % stakes.step:
        yield Complaint((*here, "most"), worded("most_off_step"))


def _limits(config: Config) -> Iterator[Complaint]:
    """Check the casino's other limits.

    A complaint is a bet that isn't one, or a limit that admits no bet.
    """
    stakes, limits, here = config.game.stakes, config.game.limits, (config.table.game, "limits")
    known = game_record(config.table.game).bets
    for bet in limits.bets:
        if bet not in known:
            yield Complaint((*here, "bets", bet), worded("no_such_bet"), nearest(bet, list(known)), hint=_names(known))
        yield from _stakes((*here, "bets", bet), _stakes_of(config, bet))
    least = max((stake for bet in known if (stake := _least(config, bet)) is not None), default=stakes.least)
    for name, amount in (("bettor", limits.bettor), ("place", limits.place), ("table", limits.table)):
        if 0 < amount < least:
            yield Complaint((*here, name), worded("below_least", least=format_money(least)))
    yield from _payout(config)


def _stakes_of(config: Config, bet: str) -> Stakes:
    """The limits of one bet of this kind."""
    own = config.game.limits.bets.get(bet, BetStakes())
    given = {"least": own.least, "most": own.most, "step": own.step}
    return config.game.stakes.model_copy(update={name: amount for name, amount in given.items() if amount})


def _least(config: Config, bet: str) -> int | None:
    """The least stake that is taken on a bet of this kind; None where there is none.

    Rule: 51/89/M art. 11; reading 24.
    """
    stakes, game = _stakes_of(config, bet), config.game
    lawful = (game.unit, 2 * game.unit, 3 * game.unit) if isinstance(game, ThirteenCardsSection) else (stakes.least,)
    taken = (stake for stake in lawful if stakes.least <= stake <= stakes.most)
    return next((stake for stake in taken if stakes.step and not stake % stakes.step), None)


def _payout(config: Config) -> Iterator[Complaint]:
    """Check that the payout limit of a round admits every kind of bet."""
    most = config.game.limits.payout
    try:
        pays = load_rules(config.table.game, found(config.game.rules)).most_pays()
    except RulesError:
        return  # It has a complaint of its own.
    for bet in game_record(config.table.game).bets if most else ():
        least, ratio = _least(config, bet) or config.game.stakes.least, pays.get(bet, Ratio(1, 1))
        if (wins := floor_share(least, ratio.numerator, ratio.denominator)) > most:
            text = worded("payout_admits_none", bet=bet, least=format_money(least), wins=format_money(wins))
            yield Complaint((config.table.game, "limits", "payout"), text)


def _unit(config: Config) -> Iterator[Complaint]:
    """Check that a bet of one, two or three units is one that the casino takes.

    Rule: 51/89/M art. 11; reading 24.
    """
    match config.game:
        case ThirteenCardsSection(unit=unit) if unit:
            (bet,) = game_record(config.table.game).bets
            stakes = _stakes_of(config, bet)
            if stakes.step and _least(config, bet) is None:
                listed = ", ".join(map(format_money, (unit, 2 * unit, 3 * unit)))
                least, most, step = map(format_money, (stakes.least, stakes.most, stakes.step))
                text = worded("no_bet_admitted", lawful=listed, least=least, most=most, step=step)
                yield Complaint(("thirteen_cards", "unit"), text, hint=worded("no_bet_admitted_hint"))
        case ThirteenCardsSection(unit=0):
            yield Complaint(("thirteen_cards", "unit"), worded("more_than_zero"))
        case _:
            return


def _names(known: tuple[str, ...]) -> Text:
    return worded("known", names=", ".join(known))


def _broker(mqtt: MqttSection) -> Iterator[Complaint]:
    if mqtt.password_file and not mqtt.username:
        yield Complaint(("mqtt", "password_file"), worded("password_user"), hint=worded("password_user_hint"))
    if bool(mqtt.cert_file) != bool(mqtt.key_file):
        there, lacking = ("cert_file", "key_file") if mqtt.cert_file else ("key_file", "cert_file")
        yield Complaint(("mqtt", there), worded("pair", lacking=lacking))
    for key in TLS_FILES:
        if getattr(mqtt, key) and mqtt.url.startswith("mqtt://"):
            yield Complaint(("mqtt", key), worded("tls"), hint=worded("tls_hint"))
    keys = (*(["password_file"] if mqtt.username else []), *TLS_FILES)
    unreadable = [each for key in keys for each in _unreadable(("mqtt", key), getattr(mqtt, key))]
    yield from unreadable
    if mqtt.url.startswith("mqtts://") and not unreadable:
        yield from tls_complaints("mqtt", mqtt)


def _unreadable(path: KeyPath, file: str | None) -> Iterator[Complaint]:
    place = secret_file(file) if file is not None else None
    if place is None:
        return  # A credential is handed over at the start only; it is missed then.
    try:
        if path[-1] == "password_file":
            read_secret(place)
        else:
            place.open("rb").close()
    except OSError as error:
        yield Complaint(path, worded("unreadable", why=error.strerror))


def _ports(config: Config) -> Iterator[Complaint]:
    taken: dict[str, str] = {}
    for name, device in config.devices.items():
        here, real = ("devices", name, "port"), _real_port(port_address(config, name))
        if real in taken:
            yield Complaint(here, worded("port_taken", name=taken[real], real=real))
        taken.setdefault(real, name)
        if wrong := _wrong_wire(device.port, device.protocol):
            yield Complaint(here, wrong, hint=worded("port_hint_other"))
        why = _why_simulated(device.port, real)
        if why and not device.simulated:
            yield Complaint(
                here,
                why,
                hint=worded("simulated_hint"),
            )


def _wrong_wire(port: str, protocol: str) -> Text:
    """Why a protocol isn't spoken at such a port; empty where it is."""
    on_usb = port.startswith("usb:")
    if on_usb and protocol not in ON_USB:
        return worded("on_serial", protocol=protocol)
    return worded("on_usb", protocol=protocol) if protocol in ONLY_ON_USB and not on_usb else ""


def _real_port(address: str) -> str:
    scheme, _, path = address.partition(":")
    return os.path.realpath(path) if scheme == "serial" else address.lower()


def _why_simulated(port: str, real: str) -> Text:
    if real.startswith("/dev/pts/"):
        return worded("pseudo_terminal")
    relative = port.startswith("serial:") and not port.startswith("serial:/")
    return worded("relative_port") if relative else ""


def _other_games(config: Config) -> Iterator[Complaint]:
    """Check for sections of games that aren't played here.

    Somebody means another table, or another game.
    """
    for game in GAMES:
        if game in config.model_fields_set and game != config.table.game:
            yield Complaint((game,), worded("other_game", game=config.table.game), hint=worded("other_game_hint"))


def _device(config: Config, kind: str) -> Iterator[Complaint]:
    """Check that the game's device of a kind is unambiguous."""
    here: KeyPath = (config.table.game, kind)
    named, there = getattr(config.game, kind), devices_of(config, kind)
    if named and named not in config.devices:
        yield Complaint(here, worded("no_such_device"), nearest(named, list(there)), hint=_known(kind, there))
    elif named and named not in there:
        yield Complaint(here, worded("other_kind", kind=config.devices[named].kind), hint=_known(kind, there))
    elif not named and len(there) > 1:
        yield Complaint(here, worded("several", kind=kind), hint=_known(kind, there))


def _lacking(config: Config) -> Iterator[Complaint]:
    """Check for devices that the game can't be played without.

    They are the device that deals its cards, unless the dealer says what is dealt by hand, and the draw system.

    Rule: 89/2004 art. 1(2), 1(3), reading 24; 41/2003 art. 2(2), 2(3).
    """
    game = config.table.game
    dealing = getattr(config.game, "dealing", "")
    if dealing in {"shoe", "shuffler"} and not devices_of(config, dealing):
        yield Complaint(
            (game, "dealing"),
            worded("dealt_from_none", kind=dealing),
            hint=worded("add_hint", kind=dealing),
        )
    if game == "football_poker" and not devices_of(config, "draw"):
        yield Complaint(
            (game, "draw"),
            worded("drawn_by_none"),
            hint=worded("add_hint", kind="draw"),
        )


def _known(kind: str, there: tuple[str, ...]) -> Text:
    return worded("known", names=", ".join(there)) if there else worded("none_there", kind=kind)
