/** The one thing that the procedure wants now, as a large button that always stands at the same place. */
import { html } from "/static/vendor/htm-preact.js";
import { Undo } from "/static/dealer/amend.js";
import { begin } from "/static/dealer/asking.js";
import { newBettor } from "/static/dealer/betting.js";
import { named, verbLabel } from "/static/dealer/labels.js";
import { dueAct, practise, ready } from "/static/dealer/practice.js";
import { offersOf } from "/static/dealer/offers.js";

/**
 * The offers of the next step: one, or, where a person decides between several ways, one for each of them.
 *
 * @returns {object[]} none where the table waits for a device, or for something that nobody asks for.
 */
export function nextOffers(desk) {
  const { verb, prompt } = desk.state.next;
  const allowed = offersOf(desk.offers, verb).filter((offer) => offer.allowed);
  if (!allowed.length) return [];
  if (verb === "decide") {
    const [{ fields: first }] = allowed;
    return allowed.filter(({ fields }) => fields.place === first.place && fields.bettor === first.bettor);
  }
  if (verb === "confirm_pack" && prompt === "cut") return allowed.filter((offer) => offer.fields.shuffle === "machine").slice(0, 1);
  if (verb === "show_tiers") return shownFirst(desk, allowed);
  if (verb === "pay_place" && allowed.some(paysAll)) return allowed.filter(paysAll).slice(0, 1);
  return allowed.slice(0, 1);
}

/** A hand that was read is turned up first, and then said how it lies; any other is said at once. */
function shownFirst(desk, tiers) {
  const down = offersOf(desk.offers, "open_hand").filter((offer) => offer.allowed);
  return [...tiers.filter((offer) => offer.proposed), ...down, ...tiers].slice(0, 1);
}

export function Next({ desk }) {
  const offers = nextOffers(desk);
  const { words, shown } = desk;
  const act = dueAct(desk);
  const keys = act ? [" "] : ["Enter", " "];
  if (!offers.length) return html`<div class="next"><${Undo} desk=${desk} /><${Waits} desk=${desk} /></div>`;
  return html`<div class="next" role="group" aria-label=${words.say("page.dealer.next.title")}>
    <${Undo} desk=${desk} />
    ${act ? html`<${Waits} desk=${desk} />` : null}
    ${offers.map((offer, nth) => html`<button type="button" class="button button-main next-act" key=${offer.verb + JSON.stringify(offer.fields)}
      data-verb=${offer.verb} data-next data-key=${keys[nth]} data-decision=${offer.fields.decision} data-at=${offer.fields.place == null ? undefined : String(offer.fields.place)} aria-disabled=${!desk.live}
      onClick=${() => begin(desk, offer.verb, usual(desk, offer), shown)}><span>${nextLabel(desk, { ...offer, fields: { ...offer.fields, ...usual(desk, offer) } })}</span></button>`)}
  </div>`;
}

/** A step that no request makes: it is done at a device, or by the players. */
function Waits({ desk }) {
  const { words, state } = desk;
  const { device, prompt } = state.next;
  const act = dueAct(desk);
  if (act) {
    return html`<button type="button" class="button button-main next-act next-practice" key=${act} data-key="Enter" data-practice=${act} aria-disabled=${!ready(desk)}
      onClick=${() => practise(desk, act)}><span>${words.say(`page.dealer.practice.${act}`)}</span></button>`;
  }
  const key = device ? `page.dealer.next.device.${device}` : prompt === "betting" ? "page.dealer.next.bets" : "page.dealer.next.wait";
  return html`<p class="next-wait">${words.say(key)}</p>`;
}

const paysAll = ({ fields }) => fields.place == null;

/** The values that go without saying: the next round is dealt in the table's usual way, all places are paid, an empty seat is taken by the place's own bettor. */
export function usual(desk, { verb, fields }) {
  if (verb === "pay_place") return { place: null, ...fields };
  if (verb === "open_round") return { dealing: null };
  return verb === "take_seat" ? { ...fields, bettor: newBettor(desk, fields.place) } : { ...fields };
}

/** The act by its name, with its place: "Open the hand: place 3". */
function nextLabel(desk, { verb, fields, proposed }) {
  const { words, layout } = desk;
  const { place, bettor, decision, shuffle } = fields;
  if (decision) return words.say("page.dealer.next.decision", { place: words.place(place), bettor, decision: named(words, layout.decisions, decision) });
  if (proposed) return words.say("page.dealer.next.proposed", { place: words.place(place) });
  const names = { place: words.place(place), bettor };
  const keys = [`page.dealer.next.${verb}_${place}`, `page.dealer.next.${verb}_${shuffle}`, place == null ? `page.dealer.next.${verb}_all` : `page.dealer.next.${verb}`];
  const own = keys.find((key) => words.has(key));
  if (own) return words.say(own, names);
  const name = verbLabel(desk, verb);
  return place == null ? name : words.say("page.dealer.pair", { name, value: words.list([words.place(place), bettor]) });
}
