/** One line that is put right: what is so instead, why, and before the last word what would follow. */
import { html, useEffect, useRef } from "/static/vendor/htm-preact.js";
import { Said } from "/static/dealer/amend.js";
import { counting, enteredAs, factLabel, fieldsOf } from "/static/dealer/amend_values.js";
import { back, change, confirm, differs, gather, preview, say, seconds } from "/static/dealer/amending.js";
import { ACT_KEYS } from "/static/dealer/keys.js";
import { valueLabel } from "/static/dealer/labels.js";
import { Again, Outcome } from "/static/dealer/outcome.js";
import { TextPad } from "/static/dealer/pads/names.js";
import { padFor } from "/static/dealer/pads/pads.js";
import { PinPad } from "/static/dealer/pads/pin.js";

const REASONS = ["misread", "mistyped", "wrong_place"];

export function AmendSheet({ desk }) {
  const { words, amend } = desk;
  const { line, struck, field, outcome } = amend;
  const top = useRef(null);
  useEffect(() => top.current?.focus(), [field, outcome]);
  const asked = fieldsOf(desk, line).find((one) => one.name === field);
  const part = outcome ? Consequence : asked ? Field : Changes;
  // On the tiers' pad everything that was recorded lies before the dealer already.
  const was = asked?.type === "tiers" ? {} : outcome && !struck ? partOf(counting(line), amend.values) : counting(line);
  return html`<div class="form ${outcome ? "form-outcome" : ""}" data-amend-sheet=${line.verb} data-field=${field ?? ""}>
    <div class="dock-body">
      <h2 tabindex="-1" ref=${top}>${words.say("page.dealer.pair", { name: factLabel(desk, line.verb), value: words.say(`page.dealer.amend.${struck ? "not_so" : "it_is"}`) })}</h2>
      ${Object.keys(was).length ? html`<p><span class="faint">${words.say("page.dealer.amend.was")}</span> <${Said} desk=${desk} verb=${line.verb} fields=${was} /></p>` : null}
      ${amend.also.length ? html`<p class="amended">${words.say("page.dealer.amend.gathered", { count: amend.also.length })}</p>` : null}
      ${Object.keys(amend.values).length ? html`<p><b>${words.say("page.dealer.amend.so")}</b> <${Said} desk=${desk} verb=${line.verb} fields=${amend.values} /></p>` : null}
      <${part} desk=${desk} field=${asked} />
    </div>
    ${amend.done ? null : html`<div class="form-foot">
      <button type="button" class="button" data-key="ArrowLeft" onClick=${() => back(desk)}>${words.say("page.dealer.form.back")}</button>
      <button type="button" class="button" data-key="Escape" onClick=${() => desk.set({ amend: null })}>${words.say("page.dealer.form.cancel")}</button>
    </div>`}
  </div>`;
}

/** Of the fields those that are said anew. */
const partOf = (fields, values) => Object.fromEntries(Object.entries(fields).filter(([name]) => name in values));

/** The pad of a field, as the request would ask for it that the fact is. */
function Field({ desk, field }) {
  const { words, amend } = desk;
  const verb = enteredAs(amend.line.verb);
  const pad = padFor(field);
  // The pads read of a form which request it makes.
  const asking = Object.create(desk, { form: { value: { verb } } });
  const values = { ...counting(amend.line), ...amend.values };
  return html`<div class="question">
    <h3>${words.first([`page.dealer.ask.${verb}.${field.name}`, `page.dealer.ask.${field.name}`, `page.dealer.field.${field.name}`])}</h3>
    <${pad} desk=${asking} field=${field} values=${values} key=${field.name} done=${(value) => say(desk, field.name, value)}
      also=${(name, value) => say(desk, name, value ?? "", { stay: true })} />
  </div>`;
}

/** The fields, each to be touched where it is wrong; then why. */
function Changes({ desk }) {
  const { words, amend } = desk;
  const { line, values } = amend;
  const now = { ...counting(line), ...values };
  return html`<div class="question">
    ${amend.struck ? null : html`<div class="choices tall">
      ${fieldsOf(desk, line).map(({ name }, nth) => html`<button type="button" class="button" key=${name} data-field=${name} data-key=${ACT_KEYS[nth]} onClick=${() => change(desk, { field: name })}>
        ${words.say("page.dealer.pair", { name: words.say(`page.dealer.field.${name}`), value: valueLabel(desk, enteredAs(line.verb), name, now[name]) })}</button>`)}
    </div>`}
    ${amend.missing.length ? html`<${Again} desk=${desk} facts=${amend.missing} />` : null}
    ${differs(amend) ? html`<h3>${words.say("page.dealer.ask.reason")}</h3>
      <div class="choices">
        ${REASONS.map((key, nth) => html`<button type="button" class="button" key=${key} data-reason=${key} data-key=${String(nth + 1)} aria-disabled=${!desk.live}
          onClick=${() => preview(desk, words.say(`page.dealer.amend.reason.${key}`))}>${words.say(`page.dealer.amend.reason.${key}`)}</button>`)}
      </div>
      <button type="button" class="button" data-amend-more data-key="M" onClick=${() => gather(desk)}>${words.say("page.dealer.amend.more")}</button>
      <${TextPad} desk=${desk} label="page.dealer.pad.other_reason" done=${(reason) => preview(desk, reason.slice(0, 200))} />` : null}
  </div>`;
}

/** What would follow, and the word that makes it so; afterwards what is to be done with the money. */
function Consequence({ desk }) {
  const { words, amend } = desk;
  const { outcome, done } = amend;
  const last = words.say("page.dealer.amend.confirm");
  return html`<div class="last-word" data-outcome=${outcome.phase}>
    <${Outcome} desk=${desk} outcome=${outcome} lead=${done ? "done" : "would"} />
    ${done ? html`<button type="button" class="button button-main wide" data-key="Enter" data-amend-seen onClick=${() => desk.set({ amend: null, tab: "steps" })}>${words.say("page.dealer.notice.seen")}</button>`
    : seconds(desk).length ? html`<${PinPad} words=${words} title=${words.say("page.dealer.form.second")} roles=${seconds(desk)} except=${desk.who.person} busy=${!desk.live} enter=${last} done=${(second) => confirm(desk, second)} />`
    : html`<button type="button" class="button button-main wide confirm" data-key="Enter" aria-disabled=${!desk.live} onClick=${() => confirm(desk)}>${last}</button>`}
  </div>`;
}
