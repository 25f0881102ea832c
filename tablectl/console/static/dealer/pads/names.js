/** Fields whose value is one of a few names: places, bettors, reasons, sections; and plain text. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { PLACE_KEYS } from "/static/dealer/keys.js";
import { ON_PEG } from "/static/dealer/offers.js";
import { betLabel, reasonLabel, valueLabel } from "/static/dealer/labels.js";

const FIRST_NAMES = ["A", "B", "C", "D", "E", "F", "G", "H"];
const VOID_REASONS = ["device", "disturbed", "mistake"];

function Button({ value, label, nth, done, keys = PLACE_KEYS }) {
  return html`<button type="button" class="button" data-key=${keys[nth]} data-value=${String(value)} onClick=${() => done(value)}>
    ${label}
  </button>`;
}

/** Every place and hand; where only a bettor can be meant, the betting places alone. */
export function PlacePad({ desk, field, done }) {
  const { words, layout } = desk;
  const all = field.type === "seat" ? layout.places : [...layout.places, ...layout.hands];
  return html`<div class="choices places-pad">
    ${all.map((place, nth) => html`<${Button} key=${place} value=${place} label=${words.place(place)} nth=${nth} done=${done} />`)}
  </div>`;
}

/** Everybody who has a stake or a seat, those of the place first; and whoever is new. */
export function bettorsKnown(desk, place) {
  const { bets = [], seats = [] } = desk.state.round;
  const here = (one) => (one.place === place ? 0 : 1);
  const named = [...seats, ...bets].sort((one, other) => here(one) - here(other)).map((one) => one.bettor);
  return [...new Set([...named, ...FIRST_NAMES])].slice(0, 12);
}

/** Who can take a seat: nobody has two, and only between rounds of 13 Cards people move to another. */
function canSit({ state, layout }, place) {
  const moves = layout.game === "thirteen_cards" && state.round_id === null;
  const stays = state.round.seats.filter((one) => !moves || one.place === place).map((one) => one.bettor);
  return (name) => !stays.includes(name);
}

export function BettorPad({ desk, values, done }) {
  const all = bettorsKnown(desk, values.place);
  const known = desk.form?.verb === "take_seat" ? all.filter(canSit(desk, values.place)) : all;
  return html`<div>
    <div class="choices">
      ${known.map((name, nth) => html`<${Button} key=${name} value=${name} label=${name} nth=${nth} done=${done} />`)}
    </div>
    <${TextPad} desk=${desk} done=${done} label="page.dealer.pad.other_name" />
  </div>`;
}

export function ReasonPad({ desk, done }) {
  const { words } = desk;
  return html`<div>
    <div class="choices tall">
      ${VOID_REASONS.map((key, nth) => {
        const label = words.say(`page.dealer.reason.${key}`);
        return html`<${Button} key=${key} value=${label} label=${label} nth=${nth} done=${done} />`;
      })}
    </div>
    <${TextPad} desk=${desk} done=${done} label="page.dealer.pad.other_reason" />
  </div>`;
}

/** A round that is over, to be corrected: the last ones of this screen, or any by its id. */
export function RoundPad({ desk, done }) {
  return html`<div>
    <div class="choices tall">
      ${desk.rounds.map((round, nth) => html`<${Button} key=${round} value=${round} label=${round} nth=${nth} done=${done} />`)}
    </div>
    <${TextPad} desk=${desk} done=${done} label="page.dealer.pad.other_round" />
  </div>`;
}

/** One of the values that the layout or the form names. */
export function ChoicePad({ desk, field, done }) {
  const { form, layout, words } = desk;
  const given = field.choices ?? layout.reasons.filter((one) => one.verb === form.verb).map((one) => one.kind);
  const label = (value) =>
    field.name === "bet" ? betLabel(desk, value)
    : field.name === "flaw" && value === "" ? words.say("page.dealer.valid")
    : field.name === "flaw" || field.name === "reason" ? reasonLabel(desk, value)
    : valueLabel(desk, form.verb, field.name, value);
  return html`<div class="choices ${field.type === "place" ? "places-pad" : "tall"}">
    ${given.map((value, nth) => html`<${Button} key=${value} value=${value} label=${label(value)} nth=${nth} done=${done} />`)}
  </div>`;
}

/** The sections around the rim; on a peg there is none. By key it is the number's digits, then Enter. */
export function SectionPad({ desk, done }) {
  const { words, layout } = desk;
  const [typed, type] = useState("");
  const isTyped = (section) => typed !== "" && Number(typed) === section;
  return html`<div class="sections">
    ${PLACE_KEYS.slice(0, 10).map((digit) => html`<button type="button" hidden key=${`digit-${digit}`} data-key=${digit} onClick=${() => type((now) => (now + digit).slice(-2))}></button>`)}
    <button type="button" class="button wide" data-value="null" data-key="-" onClick=${() => done(ON_PEG)}>${words.say("spin_flaw.on_peg")}</button>
    ${layout.sections.map(({ section, symbol }) => html`<button type="button" class="button key" key=${section} data-value=${String(section)}
      aria-pressed=${String(isTyped(section))} data-key=${isTyped(section) ? "Enter" : undefined} onClick=${() => done(section)}>${section}<small>${symbol}</small></button>`)}
  </div>`;
}

export function TextPad({ desk, done, label = "page.dealer.pad.text", atOnce = false }) {
  const [text, setText] = useState("");
  const input = useRef(null);
  useEffect(() => {
    if (!atOnce) return undefined;
    const { current } = input;
    current.focus();
    return () => current.closest("[tabindex]")?.focus({ preventScroll: true });
  }, []);
  const enter = (event) => {
    event.preventDefault();
    if (text.trim()) done(text.trim());
  };
  return html`<form class="typed" onSubmit=${enter}>
    <label>${desk.words.say(label)}
      <input value=${text} autocomplete="off" data-key="." ref=${input} onInput=${(event) => setText(event.target.value)} />
    </label>
    <button type="submit" class="button" aria-disabled=${!text.trim()}>${desk.words.say("page.dealer.form.take")}</button>
  </form>`;
}
