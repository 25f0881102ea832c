/** The right half of the screen: what can be done now, or what is being entered. */
import { html } from "/static/vendor/htm-preact.js";
import { begin } from "/static/dealer/asking.js";
import { BetPad } from "/static/dealer/bets.js";
import { Form } from "/static/dealer/form.js";
import { valueLabel, verbLabel } from "/static/dealer/labels.js";
import { articleText } from "/static/dealer/notice.js";
import { IRREGULAR, STEPS, offersOf, refusalOf } from "/static/dealer/offers.js";

/** Requests whose few ways each have a button of their own. */
const EACH_WAY = new Set(["confirm_pack", "change_dealing", "open_round"]);

export function Panel({ desk }) {
  if (desk.form) return html`<section class="panel" aria-live="off"><${Form} desk=${desk} key=${desk.form.verb} /></section>`;
  if (!desk.offers.length) return html`<section class="panel"><p class="onlooker">${desk.words.say("page.dealer.onlooker")}</p></section>`;
  return html`<section class="panel">
    <${Tabs} desk=${desk} />
    ${desk.tab === "irregular"
      ? html`<${Buttons} desk=${desk} verbs=${IRREGULAR} />`
      : html`<${BetPad} desk=${desk} /><${Buttons} desk=${desk} verbs=${STEPS} />`}
  </section>`;
}

function Tabs({ desk }) {
  const { words } = desk;
  const tab = (name) => html`<button type="button" class="button tab" data-tab=${name} aria-pressed=${String((desk.tab ?? "steps") === name)}
    onClick=${() => desk.set({ tab: name })}>${words.say(`page.dealer.tab.${name}`)}</button>`;
  return html`<div class="tabs" role="group" aria-label=${words.say("page.dealer.tab.title")}>
    ${tab("steps")}${tab("irregular")}
  </div>`;
}

/** One button for each request that the game knows: those that are live, then, in grey with the reason, the others. */
function Buttons({ desk, verbs }) {
  const known = verbs.filter((verb) => desk.verbs.has(verb) && offersOf(desk.offers, verb).length);
  const live = known.filter((verb) => !refusalOf(desk.offers, verb));
  const grey = known.filter((verb) => refusalOf(desk.offers, verb));
  return html`<div class="steps">
    ${live.map((verb) => html`<${Live} key=${verb} desk=${desk} verb=${verb} />`)}
    ${grey.map((verb) => html`<${Grey} key=${verb} desk=${desk} verb=${verb} />`)}
  </div>`;
}

function Live({ desk, verb }) {
  return waysOf(desk, verb).map(({ values, label, usual }) => {
    const { shown } = desk;
    return html`<button type="button" class="button step ${usual ? "button-main" : ""}" data-verb=${verb}
      disabled=${!desk.live} onClick=${() => begin(desk, verb, values, shown)}>${label}</button>`;
  });
}

/** The buttons of a request: one, or one for each way that has a name. */
function waysOf(desk, verb) {
  const name = verbLabel(desk, verb);
  const allowed = offersOf(desk.offers, verb).filter((offer) => offer.allowed);
  if (!EACH_WAY.has(verb)) return [{ values: {}, label: name, usual: true }];
  const [usualWay] = (desk.layout.dealing ?? []).map((one) => one.name);
  return allowed.flatMap((offer) => {
    const [field, value] = Object.entries(offer.fields)[0] ?? ["dealing", null];
    if (value === null) return [{ values: { [field]: null }, label: name, usual: true }];
    if (verb === "open_round" && value === usualWay) return [];
    const label = desk.words.say("page.dealer.pair", { name, value: valueLabel(desk, verb, field, value) });
    return [{ values: { [field]: value }, label, usual: verb === "confirm_pack" }];
  });
}

/** A request that the law or the house forbids now. It can be reached by the keyboard, so that its reason can be heard. */
function Grey({ desk, verb }) {
  const { words } = desk;
  const refused = refusalOf(desk.offers, verb);
  return html`<button type="button" class="button step grey" data-verb=${verb} aria-disabled="true"
    onClick=${() => desk.set({ notice: { kind: "refused", verb, ...refused } })}>
    ${verbLabel(desk, verb)}
    <small><span class="article">${articleText(words, refused.article)}</span> ${words.pick(refused.text)}</small>
  </button>`;
}
