/** What the layouts of all games are made of. */
import { html } from "/static/vendor/htm-preact.js";
import { Card } from "/static/shared/cards.js";
import { showMoney } from "/static/shared/money.js";
import { begin } from "/static/dealer/asking.js";
import { PLACE_KEYS, toBets } from "/static/dealer/keys.js";
import { betLabel, named, offerLabel } from "/static/dealer/labels.js";
import { AT_PLACE } from "/static/dealer/offers.js";

/** Hands of the house: nobody bets there. */
const HOUSE = new Set(["dealer", "banker"]);

/** Who sits where is changed between rounds; in a round only at a place that was asked about. */
const SEATS = new Set(["take_seat", "leave_seat"]);

/**
 * A place: tapped on its name it is the one for the next bet; below, what lies there and what can be done there.
 *
 * @param {{desk, place: number|string, mark?: string, children}} props `mark` says what is special about it now.
 */
export function Place({ desk, place, mark = "", extra = "", children }) {
  const { words } = desk;
  const chosen = desk.place === place;
  const keyed = desk.form === null && desk.place === null ? PLACE_KEYS[place - 1] : undefined;
  const name = html`${words.place(place)}${mark ? html` <em>${mark}</em>` : null}`;
  const choose = (event) => {
    desk.set({ place: chosen ? null : place, bet: { bettor: null, bet: desk.bet.bet, chips: [] } });
    toBets(event);
  };
  return html`<section class="place ${chosen ? "place-chosen" : ""} ${mark ? "place-marked" : ""} ${extra}" data-place=${String(place)}>
    ${HOUSE.has(place)
      ? html`<h2 class="place-name">${name}</h2>`
      : html`<button type="button" class="place-name" aria-pressed=${String(chosen)} data-key=${keyed} onClick=${choose}>${name}</button>`}
    ${children}
    <${Bets} desk=${desk} place=${place} />
    <${Acts} desk=${desk} place=${place} />
  </section>`;
}

/** The stakes of a place, each with the way back while bets may be taken back. */
function Bets({ desk, place }) {
  const bets = (desk.state.round.bets ?? []).filter((bet) => bet.place === place);
  if (!bets.length) return null;
  return html`<ul class="bets">
    ${bets.map((bet) => html`<${Bet} key=${`${bet.bettor}/${bet.bet}`} desk=${desk} bet=${bet} />`)}
  </ul>`;
}

function Bet({ desk, bet }) {
  const { words, shown } = desk;
  const { place, bettor } = bet;
  const several = desk.layout.bets.length > 1;
  const may = desk.offers.some((offer) => offer.verb === "take_back_bet" && offer.allowed && matches(offer, bet));
  const decision = bet.decision ? named(words, desk.layout.decisions, bet.decision) : null;
  return html`<li class="bet">
    <span><b>${bettor}</b> ${several ? betLabel(desk, bet.bet) : ""} <strong class="money-text">${showMoney(bet.stake)}</strong>
      ${decision ? html` <em>${decision}</em>` : null}</span>
    ${may
      ? html`<button type="button" class="button back" disabled=${!desk.live} data-take-back=${bet.bet}
          aria-label=${`${words.say("page.dealer.bet.take_back")}: ${words.place(place)}, ${bettor}, ${betLabel(desk, bet.bet)}`}
          onClick=${() => desk.send("take_back_bet", { place, bettor, bet: bet.bet }, shown)}>⟲</button>`
      : null}
  </li>`;
}

const matches = (offer, bet) =>
  ["place", "bettor", "bet"].every((name) => !(name in offer.fields) || offer.fields[name] === bet[name]);

/** What the table allows at a place, one button each. */
export function Acts({ desk, place }) {
  if (desk.form) return null;
  const seats = desk.state.round_id === null || desk.place === place;
  const here = (offer) => offer.allowed && offer.fields.place === place && AT_PLACE.has(offer.verb);
  const offers = desk.offers.filter((offer) => here(offer) && (seats || !SEATS.has(offer.verb)));
  if (!offers.length) return null;
  const { shown } = desk;
  return html`<div class="acts">
    ${offers.map((offer) => html`<button type="button" class="button button-main act ${SEATS.has(offer.verb) ? "act-seat" : ""}" disabled=${!desk.live}
      key=${JSON.stringify(offer.fields)} data-verb=${offer.verb} data-decision=${offer.fields.decision}
      onClick=${() => begin(desk, offer.verb, { ...offer.fields }, shown)}>
      ${offerLabel(desk, offer, { withPlace: false })}
    </button>`)}
  </div>`;
}

/** A hand as everybody sees it: faces where they are up, backs where not. */
export function Hand({ desk, hand }) {
  const { words } = desk;
  if (!hand?.cards.length) return null;
  return html`<div class="hand">
    <span class="cards">${hand.cards.map((card, nth) => html`<${Card} key=${nth} card=${card} words=${words} />`)}</span>
    ${hand.dead ? html`<em class="dead">${words.say("page.dealer.hand.dead")}</em>` : null}
  </div>`;
}

export const handAt = (desk, place) => (desk.state.round.hands ?? []).find((hand) => hand.place === place);

/** One line of facts about the round: names and values. */
export function Facts({ items }) {
  return html`<dl class="facts">
    ${items.filter(([, value]) => value !== null && value !== "" && value !== undefined).map(
      ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
  </dl>`;
}
