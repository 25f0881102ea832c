"""The dealer's page measured in the browser: nothing cut off, covered or too small in any stage of a round."""

import re

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import GAMES, TOUCH_SCREEN, Screens, Table
from tests.pages.support_dealer import dealer_at
from tests.pages.support_stages import stages
from tests.support.long import by_turn

SIZES: tuple[ViewportSize, ...] = (
    {"width": 1920, "height": 1080},
    {"width": 1024, "height": 768},
    {"width": 800, "height": 1280},
    {"width": 390, "height": 844},
    TOUCH_SCREEN,
)
TEXT_PX, HEADLINE_PX, CARD_PX = 16, 28, 96

AMISS = """({text, headline, card}) => {
  const seen = [...document.querySelectorAll('body *')].filter(one => !one.closest('svg svg') && one.checkVisibility());
  const said = one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  const size = one => parseFloat(getComputedStyle(one).fontSize);
  const scale = one => one.getScreenCTM ? Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b) : 1;
  const small = seen.filter(one => said(one) && size(one) * scale(one) < text - 0.01);
  // On a phone, too, the next step is in view, wherever the page is scrolled to.
  const inView = ({top, bottom}) => top >= 0 && bottom <= innerHeight;
  const away = seen.filter(one => one.matches('.next button') && !inView(one.getBoundingClientRect()));
  const low = seen.filter(one => one.matches('.felt .card') && one.getBoundingClientRect().height < card - 0.5);
  const heads = seen.filter(one => one.matches('.waiting') && size(one) < headline);
  const within = (one, box) => {
    for (let above = one.parentElement; above !== document.body; above = above.parentElement) {
      const {overflowX, overflowY} = getComputedStyle(above);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const edge = above.getBoundingClientRect();
      const [right, left] = [box.right - edge.right, edge.left - box.left];
      if (Math.max(right, left, box.bottom - edge.bottom, edge.top - box.top) > 2.5) return false;
    }
    return true;
  };
  const over = one => {
    if (innerWidth < 600) one.scrollIntoView({block: 'center'});  // a phone's page is scrolled as a whole
    const box = one.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return top !== null && top !== one && !one.contains(top) && !top.contains(one);
  };
  const onFelt = '.felt :is(button:not(.place-name), .net, .disc, .card, .hand-name, .thrown b)';
  const lies = `${onFelt}, :is(.next, .foot) button`;
  const lying = seen.filter(one => one.matches(lies));
  const boxes = lying.map(one => [one, one.getBoundingClientRect()]);
  const cut = boxes.filter(([one, box]) => box.width > 1 && !within(one, box)).map(([one]) => one);
  const covered = boxes.filter(([one, box]) => box.width > 1 && !one.matches('.card') && over(one)).map(([one]) => one);
  // A word is never parted; Chinese has no words to part.
  const texts = one => [...one.childNodes].filter(node => node.nodeType === 3);
  const parted = one => texts(one).some(node => [...node.data.matchAll(/[^\\s\\u2e80-\\uffef]+/g)].some(word => {
    const range = new Range();
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    return new Set([...range.getClientRects()].map(rect => Math.round(rect.top))).size > 1;
  }));
  const whole = innerWidth < 1280 ? [] : seen.filter(one => one.matches('.felt :is(.act, .mark, h2 b)'));
  const broken = whole.filter(parted);
  const tabs = seen.filter(one => one.matches('.tab'));
  const torn = tabs.filter(one => {
    const {ariaPressed} = one;
    one.ariaPressed = 'true';
    const is = parted(one);
    one.ariaPressed = ariaPressed;
    return is;
  });
  const spills = one => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  const spilt = seen.filter(one => one.matches('.felt h2 b, .chip, .strip-text') && spills(one));
  const wide = document.documentElement.scrollWidth > innerWidth ? [document.body] : [];
  return Object.entries({away, small, low, heads, cut, covered, broken, torn, spilt, wide})
    .flatMap(([what, found]) => found.map(one => `${what}: ${one.outerHTML.slice(0, 130)}`));
}"""


async def amiss(page: Page, size: ViewportSize) -> list[str]:
    """What a person couldn't read or touch at this size."""
    await page.set_viewport_size(size)
    found: list[str] = await page.evaluate(AMISS, {"text": TEXT_PX, "headline": HEADLINE_PX, "card": CARD_PX})
    return [f"{size['width']}x{size['height']} {line}" for line in found]


@pytest.mark.parametrize("game", by_turn(GAMES, 2))
async def test_every_stage_is_read_touched_and_keeps_its_places(
    open_table: OpenTable, screens: Screens, game: str
) -> None:
    table = await open_table(game)
    dealer = await dealer_at(table, screens)
    page, found, before = dealer.page, list[str](), dict[str, list[int]]()
    async for stage in stages(table):
        await dealer.caught_up()
        found += [f"{stage} moved {place}" for place in await moved(page, before)]
        for language in ("pt", "zh-Hant", "en"):
            await page.locator(f".languages [lang={language}]").tap()
            await expect(page.locator("html")).to_have_attribute("lang", language)
            sizes = SIZES if language == "en" else (TOUCH_SCREEN,)
            found += [f"{stage} {language} {line}" for size in sizes for line in await amiss(page, size)]
    if game == "thirteen-cards":
        await _unplugged(table, page)
        found += [f"unplugged {line}" for size in SIZES for line in await amiss(page, size)]
    assert found == [], "\n".join(found)


async def _unplugged(table: Table, page: Page) -> None:
    """Takes every device away that has a long name, so that the strip has much to say."""
    for name in ("shoe", "shuffler", "dice", "buzzer"):
        await table.bench.unplug(name)
    await table.until("the loss", lambda now: not any(each["attached"] for each in now["devices"]))
    await expect(page.locator(".strip-devices")).to_contain_text(re.compile("shoe.*shuffler|shuffler.*shoe"))


LIE = """() => Object.fromEntries([...document.querySelectorAll('.felt .place[data-place]')].map(one => {
  const {x, y, width, height} = one.getBoundingClientRect();
  return [one.dataset.place, [x, y, width, height].map(Math.round)];
}))"""


async def moved(page: Page, before: dict[str, list[int]]) -> list[str]:
    """The places that lie elsewhere than in the stages before; where they lie now is kept with those."""
    lie: dict[str, list[int]] = await page.evaluate(LIE)
    assert lie
    away = [f"{place} {spot}" for place, spot in lie.items() if not _is_near(before.get(place, spot), spot)]
    before |= lie
    return away


def _is_near(one: list[int], other: list[int]) -> bool:
    return all(abs(mine - yours) <= 2 for mine, yours in zip(one, other, strict=True))


COLOURS = (
    """of => [1, 2, 3, 4, 5, 6, 7].map(nth => getComputedStyle(document.querySelector(of + nth)).backgroundColor)"""
)


async def test_symbols_have_one_colour_on_felt_and_display(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    display = await screens.show(table, "/display")
    await expect(display.locator(".symbols .mark")).to_have_count(7)
    colours = await dealer.page.evaluate(COLOURS, ".symbols .symbol-")
    assert len(set(colours)) == 7
    assert await display.evaluate(COLOURS, ".symbols .mark.symbol-") == colours
