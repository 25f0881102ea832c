/** A request that is being entered: what was said so far, what is asked next, and the word before it goes out. */
import { html, useEffect, useRef } from "/static/vendor/htm-preact.js";
import { answer, back, isFinal, question, secondRoles, set, submit } from "/static/dealer/asking.js";
import { orders } from "/static/dealer/orders.js";
import { PLACE_KEYS } from "/static/dealer/keys.js";
import { valueLabel, verbLabel } from "/static/dealer/labels.js";
import { DESTRUCTIVE, isIrregular } from "/static/dealer/offers.js";
import { Outcome } from "/static/dealer/outcome.js";
import { articleText } from "/static/dealer/notice.js";
import { PinPad } from "/static/dealer/pads/pin.js";
import { padFor } from "/static/dealer/pads/pads.js";
import { LaidTiers } from "/static/dealer/pads/tiers.js";

export function Form({ desk }) {
  const { words, form } = desk;
  const asked = question(desk);
  const top = useRef(null);
  useEffect(() => top.current?.focus(), [asked.field?.name]);
  return html`<div class="form ${form.outcome ? "form-outcome" : ""}" data-form=${form.verb} data-field=${asked.field?.name ?? ""}>
    <div class="dock-body">
    <h2 tabindex="-1" ref=${top}>${verbLabel(desk, form.verb)}</h2>
    ${form.proposed ? html`<p><em class="proposed">${words.say("page.dealer.form.proposed")}</em></p>` : null}
    <${Said} desk=${desk} values=${asked.values} />
    ${asked.field ? html`<${Question} desk=${desk} asked=${asked} />` : html`<${LastWord} desk=${desk} values=${asked.values} />`}
    </div>
    <div class="form-foot">
      <button type="button" class="button" data-key="ArrowLeft" onClick=${() => back(desk)}>${words.say("page.dealer.form.back")}</button>
      <button type="button" class="button" data-key="Escape" onClick=${() => desk.set({ form: null })}>
        ${words.say("page.dealer.form.cancel")}
      </button>
    </div>
  </div>`;
}

/** What was said so far. */
function Said({ desk, values }) {
  const said = Object.entries(values).filter(([, value]) => value !== null && !(Array.isArray(value) && !value.length));
  return html`<ul class="said">
    ${said.map(([name, value]) => html`<li key=${name}>
      <span class="faint">${desk.words.say(`page.dealer.field.${name}`)}</span>${" "}
      ${name === "rows"
        ? html`<${LaidTiers} words=${desk.words} rows=${value} />`
        : html`<strong>${valueLabel(desk, desk.form.verb, name, value)}</strong>`}
    </li>`)}
  </ul>`;
}

function Question({ desk, asked }) {
  const { words, form } = desk;
  const { field } = asked;
  const pad = padFor(field);
  const done = (value) => answer(desk, field.name, value);
  return html`<div class="question">
    <h3>${words.first([`page.dealer.ask.${form.verb}.${field.name}`, `page.dealer.ask.${field.name}`, `page.dealer.field.${field.name}`])}</h3>
    <${Choices} desk=${desk} field=${field} choices=${asked.choices} done=${done} />
    ${asked.free ? html`<${pad} desk=${desk} field=${field} values=${asked.values} done=${done} key=${field.name}
          also=${(name, value) => set(desk, name, value)} />` : null}
    ${field.optional && asked.free
      ? html`<button type="button" class="button wide" data-key="ArrowRight" onClick=${() => done(null)}>${words.say("page.dealer.form.leave_out")}</button>`
      : null}
  </div>`;
}

function Choices({ desk, field, choices, done }) {
  return html`<div class="choices">
    ${choices.map(({ value, allowed, refused }, nth) => {
      const label = valueLabel(desk, desk.form.verb, field.name, value);
      if (allowed) {
        return html`<button type="button" class="button" key=${label} data-key=${PLACE_KEYS[nth]} data-value=${String(value)}
          onClick=${() => done(value)}>${label}</button>`;
      }
      return html`<button type="button" class="button grey" key=${label} aria-disabled="true" data-value=${String(value)}
        onClick=${() => desk.set({ notice: { kind: "refused", ...refused } })}>
        ${label} <small>${articleText(desk.words, refused?.article)} ${desk.words.pick(refused?.text)}</small>
      </button>`;
    })}
  </div>`;
}

/** What the law orders, what follows where that can't simply be taken back, and the button that does it; with a second person's PIN where two are needed. */
function LastWord({ desk, values }) {
  const { words, form } = desk;
  const final = isFinal(form);
  const order = isIrregular(form.verb) || final ? orders(desk, form.proposed ? `${form.verb}_proposed` : form.verb, values) : null;
  const seconds = secondRoles(desk, form.verb);
  const name = form.proposed ? words.say("page.dealer.form.lies_so") : verbLabel(desk, form.verb);
  const ends = isIrregular(form.verb) && form.outcome?.nets.after;
  const look = ends || DESTRUCTIVE.has(form.verb) ? "button-danger" : "button-main";
  const live = desk.live && (!final || form.outcome !== null);
  const go = (second) => submit(desk, second);
  return html`<div class="last-word">
    ${order ? html`<p class="orders">${order.text} ${order.article ? html`<span class="article">${articleText(words, order.article)}</span>` : null}</p>` : null}
    ${form.outcome ? html`<${Outcome} desk=${desk} outcome=${form.outcome} />` : null}
    ${seconds.length
      ? html`<${PinPad} words=${words} title=${words.say("page.dealer.form.second")} roles=${seconds} except=${desk.who.person} busy=${!live} done=${go}
            enter=${name} look=${look} />`
      : html`<button type="button" class="button ${look} wide confirm" data-key="Enter" aria-disabled=${!live}
          onClick=${() => go(null)}>${name}</button>`}
  </div>`;
}
