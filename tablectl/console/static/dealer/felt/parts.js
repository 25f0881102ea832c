/** What the layouts of all games are made of. */
import { html, useEffect, useRef } from "/static/vendor/htm-preact.js";
import { Card, nameOf } from "/static/shared/cards.js";
import { showMoney, toHundredths } from "/static/shared/money.js";
import { begin } from "/static/dealer/asking.js";
import { AtPlace, cardAt, correcting, decisionAt, stakeAt } from "/static/dealer/at_place.js";
import { betsOn, betting, opens, put, putSeveral, takeBack } from "/static/dealer/betting.js";
import { AT_PLACE_KEYS, PLACE_KEYS } from "/static/dealer/keys.js";
import { betLabel, named, offerLabel } from "/static/dealer/labels.js";
import { nextOffers, usual } from "/static/dealer/next.js";
import { AT_PLACE } from "/static/dealer/offers.js";
import { shownResult, tableau } from "/static/dealer/tableau.js";

/** Hands of the house: nobody bets there. */
const HOUSE = new Set(["dealer", "banker"]);

/** Who sits where: an empty place is taken between rounds; anything else is asked for at a place that was chosen. */
const SEATS = new Set(["take_seat", "leave_seat"]);

/** How long a touch lasts that asks for several chips, in milliseconds. */
const LONG_MS = 500;

/**
 * A place of the layout, always at the same spot.
 *
 * @param {{desk, place: number|string, mark?: string, extra?: string, children}} props `mark` says what is special about it now.
 */
export function Place({ desk, place, mark = "", extra = "", area, children }) {
  const { words } = desk;
  const chosen = desk.place === place;
  const nth = place === "common" ? desk.layout.places.length : place - 1;
  const key = desk.form !== null ? undefined : chosen ? "Escape" : desk.place === null ? PLACE_KEYS[nth] : undefined;
  const who = seatedAt(desk, place);
  const name = html`<b>${HOUSE.has(place) || place === "common" ? words.place(place) : place}</b>${who ? html` <span class="seated">${who}</span>` : null}`;
  return html`<section class="place ${chosen ? "place-chosen" : ""} ${mark ? "place-marked" : ""} ${extra}" data-place=${String(place)}
    style=${area ? { gridArea: area } : undefined} aria-label=${words.list([words.place(place), who, mark])}>
    ${HOUSE.has(place)
      ? html`<h2 class="place-name">${name}</h2>`
      : html`<button type="button" class="place-name" aria-pressed=${String(chosen)} data-key=${key} aria-label=${words.list([words.place(place), who])}
          onClick=${() => desk.set({ place: chosen ? null : place })}>${name}</button>`}
    ${mark ? html`<em class="mark">${mark}</em>` : null}
    ${children}
    <${PlaceActs} desk=${desk} place=${place} />
  </section>`;
}

function seatedAt(desk, place) {
  const { seats = [], banker } = desk.state.round;
  const names = seats.filter((seat) => seat.place === place).map((seat) => seat.bettor);
  return desk.words.list(names.length ? names : [banker?.place === place ? banker.bettor : ""]);
}

/**
 * A betting space, with the stakes that lie on it as chips: a touch puts the chip in hand down, a long one asks for several.
 * One that is closed is disabled: it is part of the picture, where no key stops, and a long touch isn't a click.
 *
 * @param {{desk, place: number|string, bet: string, label?: string, nth?: number, shut?: boolean}} props what is written on the space; `shut` where the chosen bettor can't bet.
 */
export function Spot({ desk, place, bet, label = betLabel(desk, bet), nth = 0, shape = "", shut = false }) {
  const { words, tray, live } = desk;
  const bets = betsOn(desk, place, bet);
  const going = tray.back && bets.length > 0;
  const open = (betting(desk) || opens(desk)) && (going || !shut);
  const touch = () => (going ? takeBack(desk, place, bet) : put(desk, place, bet));
  const touches = useLongTouch(touch, () => putSeveral(desk, place, bet), open && !correcting(desk));
  const said = words.list(bets.map((one) => `${one.bettor} ${showMoney(one.stake)}`));
  const name = words.say("page.dealer.pair", { name: words.list([words.place(place), betLabel(desk, bet)]), value: said || words.say("page.dealer.none") });
  if (correcting(desk)) {
    return html`<div class="spot ${shape}" data-bet=${bet} data-spot=${`${place}/${bet}`}>
      <span class="spot-label">${label}</span>
      ${bets.length ? html`<${AtPlace} desk=${desk} lines=${stakeAt(desk, place, bet)} name=${name}><${Stake} desk=${desk} bets=${bets} /><//>
        <${Decided} desk=${desk} bets=${bets} />` : null}
    </div>`;
  }
  return html`<button type="button" class="spot ${shape} ${going ? "spot-going" : ""}" data-bet=${bet} data-spot=${`${place}/${bet}`}
    data-key=${desk.place === place && desk.form === null ? PLACE_KEYS[nth] : undefined}
    disabled=${!open || desk.connection !== "connected"} data-waiting=${String(!live)}
    aria-label=${name} ...${touches}>
    <span class="spot-label">${label}</span>
    ${bets.length ? html`<${Stake} desk=${desk} bets=${bets} /><${Decided} desk=${desk} bets=${bets} />` : null}
  </button>`;
}

/**
 * Handlers for a short and a long touch, of which one outlives a redraw; by keyboard and mouse a click is a short one.
 *
 * @param {boolean} open whether a touch does anything; one that isn't over by then is forgotten.
 */
function useLongTouch(short, long, open) {
  const { current: touch } = useRef({ timer: null, held: false });
  const end = () => clearTimeout(touch.timer);
  useEffect(() => end, [open]);
  return {
    onPointerDown: () => {
      end();
      touch.held = false;
      touch.timer = setTimeout(() => ((touch.held = true), long()), LONG_MS);
    },
    onPointerUp: end,
    onPointerLeave: end,
    onPointerCancel: end,
    onContextMenu: (event) => event.preventDefault(),
    onClick: () => (end(), touch.held ? null : short()),
  };
}

/** The stakes on one space as a chip with their sum, and whose they are. */
export function Stake({ desk, bets }) {
  const sum = bets.reduce((total, one) => total + toHundredths(one.stake), 0);
  const [first] = bets;
  const ended = bets.filter((one) => one.outcome);
  const net = ended.reduce((total, one) => total + toHundredths(one.net), 0);
  return html`<span class="stake" data-stake=${sum / 100}>
    <span class="disc disc-${shade(desk, sum)}">${showMoney(sum)}</span>
    <span class="whose">${first.bettor}${bets.length > 1 ? ` +${bets.length - 1}` : ""}</span>
    ${ended.length ? html`<b class="net net-${net < 0 ? "lost" : net ? "won" : "even"}">${showMoney(net, { sign: true })}</b>` : null}
  </span>`;
}

/** What was decided of the stakes on one space, until they have ended. */
function Decided({ desk, bets }) {
  const decided = bets.filter((one) => one.decision && !one.outcome);
  if (!decided.length) return null;
  const said = desk.words.list(decided.map((one) => named(desk.words, desk.layout.decisions, one.decision)));
  const [{ place }] = decided;
  return html`<${AtPlace} desk=${desk} lines=${decisionAt(desk, place, decided.map((one) => one.bettor))} name=${desk.words.list([desk.words.place(place), said])}>
    <em class="decided">${said}</em><//>`;
}

/** The colour of the largest chip of the house that a stake holds. */
const shade = (desk, sum) => Math.max(0, desk.layout.chips.filter((chip) => toHundredths(chip) <= sum).length) % 6;

/** What the table allows at a place beyond the next step, one button each. A result that is shown has the words of payment at its own lines. */
export function PlaceActs({ desk, place }) {
  if (desk.form || correcting(desk)) return null;
  const seats = desk.place === place || (desk.state.round_id === null && !seatedAt(desk, place));
  const next = nextOffers(desk);
  const listed = Boolean(shownResult(desk.state));
  const down = desk.offers.some((offer) => offer.allowed && offer.verb === "open_hand" && offer.fields.place === place);
  const here = (offer) => offer.allowed && offer.fields.place === place && AT_PLACE.has(offer.verb) && !next.includes(offer)
    && !(listed && offer.verb === "pay_place") && !(down && offer.verb === "show_tiers");
  const offers = desk.offers.filter((offer) => here(offer) && (seats || !SEATS.has(offer.verb)));
  const seat = seats && desk.offers.find((offer) => offer.allowed && offer.verb === "take_seat" && offer.fields.place === place);
  if (!offers.length && !seat) return null;
  const { shown } = desk;
  const keys = desk.place === place ? AT_PLACE_KEYS : [];
  return html`<div class="acts">
    ${offers.map((offer, nth) => html`<button type="button" class="button act" aria-disabled=${!desk.live}
      key=${offer.verb + JSON.stringify(offer.fields)} data-verb=${offer.verb} data-decision=${offer.fields.decision} data-key=${keys[nth]}
      onClick=${() => begin(desk, offer.verb, usual(desk, offer), shown)}>
      ${offerLabel(desk, { ...offer, fields: usual(desk, offer) }, { withPlace: false })}
    </button>`)}
    ${seat ? html`<button type="button" class="button act act-other" aria-disabled=${!desk.live} data-other data-key=${keys[offers.length]}
      onClick=${() => begin(desk, seat.verb, { ...seat.fields }, shown)}>${desk.words.say("page.dealer.pad.other")}</button>` : null}
  </div>`;
}

/** A hand as everybody sees it, its cards fanned out, and under them what they make. */
export function Hand({ desk, place, name }) {
  const { words } = desk;
  const hand = handAt(desk, place);
  return html`<div class="hand">
    <span class="fan">${(hand?.cards ?? []).map((card, nth) => html`<${AtPlace} key=${nth} desk=${desk} lines=${cardAt(desk, hand, nth)}
      name=${words.list([words.place(place), card ? nameOf(card, words) : words.say("page.shared.card_back")])}><${Card} card=${card} words=${words} /><//>`)}</span>
    <b class="hand-name" hidden=${!hand}>${hand?.dead ? words.say("page.dealer.hand.dead") : (hand && name?.(hand)) || ""}</b>
  </div>`;
}

export const handAt = (desk, place) => tableau(desk.state).hands.find((hand) => hand.place === place);

/**
 * Where the places of a half-moon table lie, from the dealer's left round to the dealer's right.
 *
 * @returns {{columns: number, rows: number, areas: Map<number, string>}} places as grid areas.
 */
export function horseshoe(places) {
  const sides = places.length > 12 ? 3 : places.length > 8 ? 2 : places.length > 5 ? 1 : 0;
  const columns = places.length - 2 * sides;
  const rows = sides + 1;
  const areas = new Map(places.map((place, nth) => {
    if (nth < sides) return [place, `${rows - nth} / 1`];
    if (nth >= places.length - sides) return [place, `${nth - (places.length - sides) + 2} / ${columns}`];
    return [place, `1 / ${nth - sides + 1}`];
  }));
  return { columns, rows, areas };
}

/** One line of facts about the round: names and values. */
export function Facts({ items }) {
  return html`<dl class="facts">
    ${items.filter(([, value]) => value !== null && value !== "" && value !== undefined).map(
      ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
  </dl>`;
}

