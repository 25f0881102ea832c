/** Devices and faults: one strip at the foot of the page, and the whole of both one touch away. */
import { html } from "/static/vendor/htm-preact.js";
import { ACT_KEYS, PAGE_KEYS } from "/static/dealer/keys.js";

/** The faults that somebody still has to do something about, the newest first. */
const standing = ({ faults }) =>
  faults.filter((fault) => fault.present || fault.acknowledged_by === null).sort((one, other) => other.since.localeCompare(one.since));

/** One line: how the devices are, the newest fault with its button, and how many more there are. */
export function Strip({ desk }) {
  const { words, state, tab } = desk;
  const away = state.devices.filter((device) => !device.attached);
  const faults = standing(state);
  const open = (name) => desk.set({ tab: tab === name ? "steps" : name });
  return html`<footer class="strip">
    <button type="button" class="button strip-devices lamp lamp-${away.length ? "bad" : "good"}" data-tab="devices" data-key=${PAGE_KEYS.devices} aria-expanded=${String(tab === "devices")}
      onClick=${() => open("devices")}>${away.length ? words.say("page.dealer.strip.away", { names: words.list(away.map((one) => nameOf(words, one))) }) : words.say("page.dealer.strip.devices")}</button>
    ${faults.length ? html`<${Newest} desk=${desk} fault=${faults[0]} />` : html`<p class="lamp lamp-good">${words.say("page.dealer.faults.none")}</p>`}
    ${faults.length ? html`<button type="button" class="button strip-count" data-tab="faults" data-key=${PAGE_KEYS.faults} aria-expanded=${String(tab === "faults")}
      onClick=${() => open("faults")}>${words.say("page.dealer.strip.faults", { count: faults.length })}</button>` : null}
    ${desk.practice && desk.offers.length ? html`<button type="button" class="button strip-lessons" data-tab="lessons" data-key=${PAGE_KEYS.lessons} aria-expanded=${String(tab === "lessons")}
      onClick=${() => open("lessons")}>${words.say("page.dealer.lesson.title")}</button>` : null}
  </footer>`;
}

function Newest({ desk, fault }) {
  return html`<div class="strip-fault fault fault-${lampOf(fault)}" data-code=${fault.code}>
    <p class="strip-text" role="status"><strong class="lamp lamp-${lampOf(fault)}">${fault.code}</strong> ${textOf(desk.words, fault)} ${desk.words.pick(fault.dealer)}</p>
    <${Acknowledge} desk=${desk} fault=${fault} by="P" />
  </div>`;
}

const lampOf = (fault) => (fault.severity === "error" ? "bad" : "warn");

const nameOf = (words, { name }) => words.first([`device.${name}`, name]);

function textOf(words, fault) {
  const what = words.say("page.dealer.faults.sentence", { text: words.pick(fault.text) });
  return fault.device ? words.say("page.dealer.pair", { name: words.first([`device.${fault.device}`, fault.device]), value: what }) : what;
}

export function Devices({ desk }) {
  const { words, state } = desk;
  return html`<h2>${words.say("page.dealer.devices")}</h2>
    <ul class="devices">
      ${state.devices.map((device) => {
        const lamp = device.attached ? "good" : "bad";
        return html`<li key=${device.name} class="lamp lamp-${lamp}" data-device=${device.name}>
          ${words.say("page.dealer.pair", { name: nameOf(words, device), value: words.say(`page.dealer.device.${lamp}`) })}
        </li>`;
      })}
      ${(state.materials ?? []).map((one) => html`<li key=${one.kind} class="lamp lamp-${one.fit ? "good" : "bad"}" data-material=${one.kind}>
        ${words.say(one.fit ? "page.dealer.material" : "page.dealer.material_unfit", { kind: words.say(`tail.material.${one.kind}`), name: one.name, by: one.by, since: one.since.slice(0, 16) })}
      </li>`)}
    </ul>`;
}

/** Every fault that stands, each with what to do and its button. */
export function Faults({ desk }) {
  const { words, state } = desk;
  return html`<h2>${words.say("page.dealer.faults.title")}</h2>
    <ul class="faults">
      ${standing(state).map((fault, nth) => html`<li class="fault fault-${lampOf(fault)}" key=${`${fault.code}${fault.device}`} data-code=${fault.code}>
        <p><strong class="lamp lamp-${lampOf(fault)}">${words.say(`severity.${fault.severity}`)} ${fault.code}</strong> <b>${textOf(words, fault)}</b>
          ${" "}${words.pick(fault.dealer)}</p>
        <${Acknowledge} desk=${desk} fault=${fault} by=${ACT_KEYS[nth]} />
      </li>`)}
    </ul>`;
}

/** Whoever may clear the fault signs for it here; for anybody else the line says who may. */
function Acknowledge({ desk, fault, by }) {
  const { words, who, shown } = desk;
  if (fault.acknowledged_by) return html`<span>${words.say("page.dealer.faults.seen_by", { person: fault.acknowledged_by })}</span>`;
  if (!mayClear(fault.clears, who.role)) return html`<span>${words.say(`authority.${fault.clears}`)}</span>`;
  const send = () => desk.send("acknowledge_fault", { code: fault.code, device: fault.device }, shown);
  return html`<button type="button" class="button" data-acknowledge=${fault.code} data-key=${by} aria-disabled=${!desk.live} onClick=${send}>
    ${words.say("page.dealer.faults.acknowledge")}
  </button>`;
}

/** As the table has it: a supervisor may what a dealer may, anybody what clears by itself. */
const mayClear = (clears, role) => clears === "auto" || clears === role || (clears === "dealer" && role === "supervisor");
