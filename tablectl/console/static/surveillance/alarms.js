/** The faults that stand: each stays until its cause is gone and, where it must be, a person has acknowledged it. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { ask } from "/static/shared/api.js";
import { explainError } from "/static/surveillance/speech.js";

/** Whose acknowledgement a fault takes, as the table itself judges it. */
export const MAY = {
  auto: ["dealer", "supervisor", "technician", "surveillance"],
  dealer: ["dealer", "supervisor"],
  supervisor: ["supervisor"],
  technician: ["technician"],
};
export const ORDER = { error: 0, warning: 1, notice: 2 };
export const COLOUR = { error: "bad", warning: "warn", notice: "good" };

export function Alarms({ words, who, live }) {
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const faults = [...(live.state?.faults ?? [])].sort((one, other) => ORDER[one.severity] - ORDER[other.severity] || one.code - other.code);
  return html`<div class="box alarms">
    <h2>${say("alarms")} <span class="faint">${faults.length}</span></h2>
    <div role="status" class="heard">${say("alarms_stand", { count: faults.length })}</div>
    ${faults.length === 0 && html`<p class="faint">${say("no_alarms")}</p>`}
    <ul>
      ${faults.map((fault) => html`<${Alarm} key=${`${fault.code} ${fault.device}`} words=${words} who=${who} live=${live} fault=${fault} />`)}
    </ul>
  </div>`;
}

function Alarm({ words, who, live, fault }) {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const acknowledge = async () => {
    setBusy(true);
    try {
      const answer = await ask("acknowledge_fault", { code: fault.code, device: fault.device }, live.state);
      setSaid(answer.accepted ? "" : words.pick(answer.refused.text));
    } catch (error) {
      setSaid(explainError(words, error));
    } finally {
      setBusy(false);
    }
  };
  return html`<li class="alarm alarm-${fault.severity}">
    <p class="lamp lamp-${COLOUR[fault.severity]}">${words.say(`severity.${fault.severity}`)} ${fault.code}</p>
    <p class="alarm-text">${words.pick(fault.text)}${fault.device ? ` · ${words.first([`device.${fault.device}`, fault.device])}` : ""}</p>
    ${fault.detail && html`<p class="faint">${words.pick(fault.reason)}</p>`}
    <p class="faint">
      ${[say(fault.present ? "present" : "over"), fault.times > 1 ? say("times", { count: fault.times }) : "", words.say(`authority.${fault.clears}`)]
        .filter(Boolean).join(" · ")}
    </p>
    ${fault.acknowledged_by
      ? html`<p>${say("acknowledged_by", { person: fault.acknowledged_by })}</p>`
      : (MAY[fault.clears] ?? []).includes(who.role) && html`<button class="button" aria-disabled=${busy} onClick=${acknowledge}>${say("acknowledge")}</button>`}
    <p role="alert">${said}</p>
  </li>`;
}
