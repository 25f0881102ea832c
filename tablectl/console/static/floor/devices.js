/** The devices of all tables, found by serial number, maker or model, and where each has been. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { Search } from "/static/surveillance/search.js";
import { dayAndTime, explainError } from "/static/surveillance/speech.js";

export function Devices({ words, say, open }) {
  const [text, setText] = useState("");
  const [chosen, choose] = useState("");
  const [told, error] = useAnswer(() => `/v1/devices?q=${encodeURIComponent(text)}`, [text]);
  const heads = ["serial", "device", "maker", "firmware", "state", "table"];
  const gone = told?.devices.length === 0 ? text.trim() : "";
  const past = told?.devices.some((each) => each.identity.serial === chosen) ? chosen : gone;
  return html`<div class="filters"><${Search} words=${words} found=${setText} /></div>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    <div class="scrolled" role="region" tabindex="0" aria-label=${say("devices")}><table class="rows">
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${say(`head.${key}`)}</th>`)}</tr></thead>
      <tbody>${told?.devices.map((each) => html`<tr key=${`${each.place} ${each.name}`}>
        <td class="number">${each.identity.serial ? html`<button class="link" aria-pressed=${chosen === each.identity.serial}
          onClick=${() => choose(chosen === each.identity.serial ? "" : each.identity.serial)}>${each.identity.serial}</button>` : "–"}</td>
        <td>${words.first([`device.${each.name}`, each.name])}${each.simulated ? html` <span class="tag">${words.say("explain.simulated")}</span>` : ""}</td>
        <td>${[each.identity.maker, each.identity.model].filter(Boolean).join(" ") || "–"}</td>
        <td><code>${each.firmware || "–"}</code></td>
        <td class=${`lamp lamp-${each.state === "ready" ? "good" : "bad"}`}>${words.first([`page.floor.device_state.${each.state}`, each.state])}</td>
        <td><button class="link" onClick=${() => open(each.place)}>${each.place}</button></td>
      </tr>`)}</tbody>
    </table></div>
    ${told?.devices.length === 0 && html`<p class="faint hint">${say("no_devices")}</p>`}
    ${past && html`<${Past} key=${past} words=${words} say=${say} open=${open} serial=${past} />`}`;
}

/** At which tables a device was, and with which firmware, as the recorder saw it. */
function Past({ words, say, open, serial }) {
  const [told, error] = useAnswer(() => `/v1/devices/history?serial=${encodeURIComponent(serial)}`, [serial]);
  const heads = ["since", "table", "device", "maker", "firmware"];
  return html`<section class="past" aria-label=${say("history_of", { serial })}><h2>${say("history_of", { serial })}</h2>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    ${told?.history.length === 0 && html`<p class="faint hint">${say("no_history")}</p>`}
    ${told?.history.length > 0 && html`<div class="scrolled" role="region" tabindex="0" aria-label=${say("history_of", { serial })}><table class="rows">
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${say(`head.${key}`)}</th>`)}</tr></thead>
      <tbody>${told.history.map((each) => html`<tr key=${`${each.place} ${each.name} ${each.since}`}>
        <td class="number">${dayAndTime(each.since)}</td>
        <td><button class="link" onClick=${() => open(each.place)}>${each.place}</button></td>
        <td>${words.first([`device.${each.name}`, each.name])}${each.simulated ? html` <span class="tag">${words.say("explain.simulated")}</span>` : ""}</td>
        <td>${[each.maker, each.model].filter(Boolean).join(" ") || "–"}</td>
        <td><code>${each.firmware || "–"}</code></td>
      </tr>`)}</tbody>
    </table></div>`}</section>`;
}
