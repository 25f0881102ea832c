/** Devices as lamps with words, and the faults with what a dealer does about them. */
import { html } from "/static/vendor/htm-preact.js";

export function Devices({ desk }) {
  const { words, state } = desk;
  return html`<ul class="devices" aria-label=${words.say("page.dealer.devices")}>
    ${state.devices.map((device) => {
      const lamp = device.attached ? "good" : "bad";
      const name = words.first([`device.${device.name}`, device.name]);
      return html`<li key=${device.name} class="lamp lamp-${lamp}" data-device=${device.name}>
        ${words.say("page.dealer.pair", { name, value: words.say(`page.dealer.device.${lamp}`) })}
      </li>`;
    })}
  </ul>`;
}

export function Faults({ desk }) {
  const { words, state } = desk;
  const faults = state.faults.filter((fault) => fault.present || fault.acknowledged_by === null);
  if (!faults.length) return html`<p class="no-faults lamp lamp-good">${words.say("page.dealer.faults.none")}</p>`;
  return html`<ul class="faults" aria-label=${words.say("page.dealer.faults.title")}>
    ${faults.map((fault) => html`<${Fault} key=${`${fault.code}${fault.device}`} desk=${desk} fault=${fault} />`)}
  </ul>`;
}

function Fault({ desk, fault }) {
  const { words } = desk;
  const device = fault.device ? words.first([`device.${fault.device}`, fault.device]) : "";
  const what = words.say("page.dealer.faults.sentence", { text: words.pick(fault.text) });
  const lamp = fault.severity === "error" ? "bad" : "warn";
  return html`<li class="fault fault-${lamp}" data-code=${fault.code}>
    <div>
      <strong class="lamp lamp-${lamp}">${words.say(`severity.${fault.severity}`)} ${fault.code}</strong>
      ${" "}<strong>${device ? words.say("page.dealer.pair", { name: device, value: what }) : what}</strong>
      ${" "}${words.pick(fault.dealer)}
    </div>
    <${Acknowledge} desk=${desk} fault=${fault} />
  </li>`;
}

/** Whoever may clear the fault signs for it here; for anybody else the line says who may. */
function Acknowledge({ desk, fault }) {
  const { words, who } = desk;
  if (fault.acknowledged_by) return html`<span>${words.say("page.dealer.faults.seen_by", { person: fault.acknowledged_by })}</span>`;
  if (!mayClear(fault.clears, who.role)) return html`<span>${words.say(`authority.${fault.clears}`)}</span>`;
  const { shown } = desk;
  const send = () => desk.send("acknowledge_fault", { code: fault.code, device: fault.device }, shown);
  return html`<button type="button" class="button" disabled=${!desk.live} onClick=${send}>
    ${words.say("page.dealer.faults.acknowledge")}
  </button>`;
}

/** As the table has it: a supervisor may what a dealer may, anybody what clears by itself. */
const mayClear = (clears, role) => clears === "auto" || clears === role || (clears === "dealer" && role === "supervisor");
