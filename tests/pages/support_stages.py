"""Every game brought from stage to stage of a round, past the page, for pictures and for checks of each stage."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from tests.pages.support import Table
from tests.pages.support_play import draw, every_card, in_mid_round, pack, spun

BANKER = "2s 2d 5c 7h 7c 9s 9d Kc 3h 6h 8h Th Qh"
PLAYER = "3s 3d 6c 8s 8c Ts Td Ac 4h 5h 7s Jh 9h"

Stages = AsyncGenerator[str]


def stages(table: Table) -> Stages:
    """Plays a round; yields the name of each stage once the table is there."""
    play = {
        "q-poker": _q_poker,
        "football-poker": _football_poker,
        "wheel-of-fortune": _wheel,
        "chinese-dice": _chinese_dice,
        "thirteen-cards": _thirteen_cards,
    }
    return play[table.game](table)


async def at_stage(table: Table, wanted: str) -> None:
    """Plays a round as far as this stage."""
    async with aclosing(stages(table)) as played:
        async for stage in played:
            if stage == wanted:
                return


async def _q_poker(table: Table) -> Stages:
    yield "idle"
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="Ho Iat Meng", bet="versus_dealer", stake="1250")
    await table.ask("bet", place=1, bettor="B", bet="pair_or_better", stake="50")
    await table.ask("bet", place=4, bettor="C", bet="versus_dealer", stake="5000")
    yield "betting"
    await draw(table, pack("Ks Qh Qd 7h"))
    yield "dealing"
    await draw(table, pack("Kh 2c 4d Td 3s"), 4)
    await table.until("all cards", lambda now: now["phase"] == "opening")
    await table.ask("open_hand", place=1)
    await table.ask("open_hand", place=4)
    await table.ask("decide", place=1, bettor="Ho Iat Meng", decision="play")
    yield "deciding"
    await table.ask("decide", place=4, bettor="C", decision="withdraw")
    await table.ask("open_hand", place="dealer")
    yield "result"


async def _football_poker(table: Table) -> Stages:
    yield "idle"
    await in_mid_round(table)
    await table.ask("bet", place=7, bettor="D", bet="post", stake="100")
    yield "betting"
    await draw(table, pack("2s 3h 4d 4c 9s Th"))
    await table.until("third cards", lambda now: now["phase"] in {"thirds", "opening"})
    yield "dealing"
    await draw(table, pack("5d"), 6)
    await table.until("the hands to open", lambda now: now["phase"] == "opening")
    await table.ask("open_hand", place=1)
    yield "opening"
    await table.ask("open_hand", place=7)
    await table.ask("open_hand", place="common")
    yield "result"


async def _wheel(table: Table) -> Stages:
    yield "idle"
    await in_mid_round(table)
    yield "betting"
    await table.ask("close_betting")
    await spun(table)
    yield "stopped"
    await table.ask("confirm_spin")
    yield "result"


async def _chinese_dice(table: Table) -> Stages:
    yield "idle"
    for place, bettor in ((1, "A"), (2, "Ho Iat Meng"), (5, "C")):
        await table.ask("take_seat", place=place, bettor=bettor)
    await table.ask("take_bank", place=1, bettor="A", capital="1000")
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="Ho Iat Meng", bet="place", stake="100")
    await table.ask("bet", place=5, bettor="C", bet="place", stake="500")
    yield "betting"
    table.bench.dice.throw((2, 2, 3))
    await table.until("the banker's throw", lambda now: now["phase"] == "throwing")
    yield "throwing"
    table.bench.dice.throw((5, 5, 4))
    await table.until("the first payment", lambda now: now["phase"] == "paying")
    yield "paying"
    await table.ask("pay_place", place=2)
    table.bench.dice.throw((1, 1, 2))
    await table.until("the last payment", lambda now: now["phase"] == "paying")
    await table.ask("pay_place", place=5)
    yield "result"


async def _thirteen_cards(table: Table) -> Stages:
    yield "idle"
    await in_mid_round(table)
    yield "betting"
    table.bench.dice.throw((1, 1, 1, 2))
    await table.until("the deal", lambda now: now["phase"] == "dealing")
    hands = {"banker": pack(BANKER), 2: pack(PLAYER)}
    rest = [card for card in every_card() if card not in (*hands["banker"], *hands[2])]
    hands |= {3: rest[:13], 4: rest[13:]}
    await draw(table, [hands[place][nth] for nth in range(13) for place in ("banker", 2, 3, 4)])
    await table.until("the banker's setting", lambda now: now["phase"] == "banker_setting")
    yield "dealt"
    await table.ask("show_tiers", place="banker", rows=_rows(BANKER))
    await table.ask("pick_up_cards", place=2)
    yield "setting"
    await table.ask("finish_setting", place=2)
    await table.ask("show_tiers", place=2, rows=_rows(PLAYER))
    yield "result"


def _rows(text: str) -> list[list[str]]:
    cards = text.split()
    return [cards[:3], cards[3:8], cards[8:]]
