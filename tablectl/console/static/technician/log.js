/** How much each area of the log says, changed until the daemon ends. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { post } from "/static/shared/api.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explainError } from "/static/surveillance/speech.js";

export function Log({ words, say }) {
  const [changed, setChanged] = useState(0);
  const [failed, setFailed] = useState(null);
  const [told, error] = useAnswer(() => "/v1/workshop/log", [changed]);
  const turn = async (area, level) => {
    try {
      await post("/v1/workshop/log", { level, area });
      setFailed(null);
    } catch (refused) {
      setFailed(refused);
    }
    setChanged((before) => before + 1);
  };
  const wrong = failed ?? error;
  return html`<div class="box">
    <h2>${say("log")}</h2>
    <p class="faint">${say("log_means")}</p>
    ${Object.entries(told?.areas ?? {}).map(([area, level]) => html`<label key=${area} class="level">${area}
      <select value=${level} onChange=${(event) => turn(area, event.target.value)}>
        ${told.known.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
      </select></label>`)}
    <p role="alert">${wrong ? explainError(words, wrong) : ""}</p>
  </div>`;
}
