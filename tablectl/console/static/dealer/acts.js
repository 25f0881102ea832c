/** What else may be done now, quieter than the next step; and why anything else may not. */
import { html } from "/static/vendor/htm-preact.js";
import { begin } from "/static/dealer/asking.js";
import { valueLabel, verbLabel } from "/static/dealer/labels.js";
import { articleText } from "/static/dealer/notice.js";
import { ACT_KEYS, showKeys } from "/static/dealer/keys.js";
import { AT_PLACE, DESTRUCTIVE, IRREGULAR, STEPS, offersOf } from "/static/dealer/offers.js";

/** Requests whose few ways each have a button of their own. */
const EACH_WAY = new Set(["confirm_pack", "open_round"]);

/** The lawful requests among these, one button each; nothing is drawn for what the law forbids. */
export function Acts({ desk, verbs }) {
  const ways = verbs.filter((verb) => desk.verbs.has(verb)).flatMap((verb) => waysOf(desk, verb));
  if (!ways.length) return null;
  const { shown } = desk;
  return html`<div class="steps">
    ${ways.map(({ verb, values, label }, nth) => html`<button type="button" key=${label} data-verb=${verb} data-key=${ACT_KEYS[nth]}
      class="button step ${DESTRUCTIVE.has(verb) ? "button-danger" : ""}" aria-disabled=${!desk.live}
      onClick=${() => begin(desk, verb, values, shown)}>${label}</button>`)}
  </div>`;
}

/** The buttons of a request: one, or one for each way that has a name; the next step has its own place. */
function waysOf(desk, verb) {
  const name = verbLabel(desk, verb);
  const next = desk.state.next.verb === verb;
  const allowed = offersOf(desk.offers, verb).filter((offer) => offer.allowed);
  if (!allowed.length) return [];
  if (!EACH_WAY.has(verb)) return next && !IRREGULAR.includes(verb) ? [] : [{ verb, values: {}, label: name }];
  const [usualWay] = (desk.layout.dealing ?? []).map((one) => one.name);
  return allowed.flatMap((offer, nth) => {
    const [field, value] = Object.entries(offer.fields)[0] ?? ["dealing", null];
    if (next && (nth === 0 || value === usualWay)) return [];
    const label = value === null ? name : desk.words.say("page.dealer.pair", { name, value: valueLabel(desk, verb, field, value) });
    return [{ verb, values: { [field]: value }, label }];
  });
}

/** Why a request is forbidden, each reason once; and where, unless it is forbidden everywhere. */
function refusalsOf(desk, verb) {
  const offers = offersOf(desk.offers, verb);
  const of = Object.values(Object.groupBy(offers.filter((offer) => !offer.allowed), ({ refused }) => JSON.stringify(refused)));
  const told = ({ fields }) => Object.entries(fields).filter(([, value]) => value !== null && value !== "").slice(0, 1)
    .map(([field, value]) => valueLabel(desk, verb, field, value));
  return of.map((alike) => ({ verb, why: alike[0].refused, where: alike.length < offers.length ? desk.words.list([...new Set(alike.flatMap(told))]) : "" }));
}

/** Every request that the law or the house forbids now, here or everywhere, each with its article and the reason. */
export function WhyNot({ desk }) {
  const { words } = desk;
  const refused = [...new Set(["bet", "take_back_bet", "repeat_bets", ...STEPS, ...AT_PLACE, ...IRREGULAR])]
    .filter((verb) => desk.verbs.has(verb))
    .flatMap((verb) => refusalsOf(desk, verb));
  return html`<dl class="why-not">
    ${refused.map(({ verb, why, where }) => html`<div key=${verb + where} data-why=${verb}>
      <dt>${where ? words.say("page.dealer.pair", { name: verbLabel(desk, verb), value: where }) : verbLabel(desk, verb)}</dt>
      <dd><span class="article">${articleText(words, why.article)}</span> ${words.pick(why.text)}</dd>
    </div>`)}
  </dl>
  <button type="button" class="button wide" data-keys data-key="?" onClick=${showKeys}>${words.say("page.dealer.keys")}</button>`;
}
