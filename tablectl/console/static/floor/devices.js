/** The devices of all tables, found by serial number, maker or model. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { Search } from "/static/surveillance/search.js";
import { explainError } from "/static/surveillance/speech.js";

export function Devices({ words, say, open }) {
  const [text, setText] = useState("");
  const [told, error] = useAnswer(() => `/v1/devices?q=${encodeURIComponent(text)}`, [text]);
  const heads = ["serial", "device", "maker", "firmware", "state", "table"];
  return html`<div class="filters"><${Search} words=${words} found=${setText} /></div>
    <p role="alert">${error ? explainError(words, error) : ""}</p>
    <div class="scrolled" role="region" tabindex="0" aria-label=${say("devices")}><table class="rows">
      <thead><tr>${heads.map((key) => html`<th key=${key} scope="col">${say(`head.${key}`)}</th>`)}</tr></thead>
      <tbody>${told?.devices.map((each) => html`<tr key=${`${each.place} ${each.name}`}>
        <td class="number">${each.identity.serial || "–"}</td>
        <td>${words.first([`device.${each.name}`, each.name])}${each.simulated ? html` <span class="tag">${words.say("explain.simulated")}</span>` : ""}</td>
        <td>${[each.identity.maker, each.identity.model].filter(Boolean).join(" ") || "–"}</td>
        <td><code>${each.firmware || "–"}</code></td>
        <td class=${`lamp lamp-${each.state === "ready" ? "good" : "bad"}`}>${words.first([`page.floor.device_state.${each.state}`, each.state])}</td>
        <td><button class="link" onClick=${() => open(each.place)}>${each.place}</button></td>
      </tr>`)}</tbody>
    </table></div>
    ${told?.devices.length === 0 && html`<p class="faint hint">${say("no_devices")}</p>`}`;
}
