/** The faults that stand at any table; whoever may acknowledges them here by name. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { post } from "/static/shared/api.js";
import { COLOUR, MAY, ORDER } from "/static/surveillance/alarms.js";
import { dayAndTime } from "/static/surveillance/speech.js";
import { explain } from "/static/floor/speech.js";

/** A table's faults that somebody has to look at: all but those that only wait for their cause to go and are acknowledged. */
export const alarmsOf = (tile) => tile.alarms.filter((each) => !each.acknowledged_by);

export function Alarms({ words, who, say, tiles, open }) {
  const [all, setAll] = useState(false);
  const found = tiles.flatMap((tile) => (all ? tile.alarms : alarmsOf(tile)).map((alarm) => ({ tile, alarm })))
    .sort((one, other) => ORDER[one.alarm.severity] - ORDER[other.alarm.severity] || other.alarm.since.localeCompare(one.alarm.since));
  return html`<div class="filters">
      <label class="check"><input type="checkbox" checked=${all} onChange=${(event) => setAll(event.target.checked)} /> ${say("acknowledged_too")}</label>
    </div>
    ${found.length === 0 && html`<p class="faint hint">${words.say("page.surveillance.no_alarms")}</p>`}
    <ul class="alarm-list">${found.map(({ tile, alarm }) => html`
      <${Alarm} key=${`${tile.place} ${alarm.code} ${alarm.device}`} words=${words} who=${who} say=${say} place=${tile.place} alarm=${alarm} open=${open} />`)}</ul>`;
}

/** One fault; without `open` it doesn't name its table. */
export function Alarm({ words, who, say, place, alarm, open }) {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const acknowledge = async () => {
    setBusy(true);
    try {
      await post(`/v1/tables/${place}/acknowledge`, { code: alarm.code, device: alarm.device ?? "" });
      setSaid("");
    } catch (error) {
      setSaid(explain(words, error));
    }
    setBusy(false);
  };
  const steps = who.role === "technician" ? alarm.technician : alarm.dealer;
  return html`<li class=${`alarm alarm-${alarm.severity}`}>
    <p class=${`lamp lamp-${COLOUR[alarm.severity]}`}>${words.say(`severity.${alarm.severity}`)} ${alarm.code}
      ${open && html` · <button class="link" onClick=${() => open(place)}>${place}</button>`}</p>
    <p class="alarm-text">${words.pick(alarm.text)}${alarm.device ? ` · ${words.first([`device.${alarm.device}`, alarm.device])}` : ""}</p>
    ${steps && html`<p>${words.pick(steps)}</p>`}
    <p class="faint">${[alarm.since && dayAndTime(alarm.since), words.say(`page.surveillance.${alarm.present ? "present" : "over"}`), words.say(`authority.${alarm.clears}`)].filter(Boolean).join(" · ")}</p>
    ${alarm.acknowledged_by
      ? html`<p>${words.say("page.surveillance.acknowledged_by", { person: alarm.acknowledged_by })}</p>`
      : (MAY[alarm.clears] ?? []).includes(who.role) && html`<button class="button" aria-disabled=${busy} onClick=${acknowledge}>${words.say("page.surveillance.acknowledge")}</button>`}
    <p role="alert">${said}</p>
  </li>`;
}
