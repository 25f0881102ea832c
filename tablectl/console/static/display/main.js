/** The players' display: what the table shows to everybody, redrawn whenever it changes. */
import { html, render, useEffect, useState } from "/static/vendor/htm-preact.js";
import { follow, get } from "/static/shared/api.js";
import { hidePointer, stayLit } from "/static/shared/kiosk.js";
import { loadWords } from "/static/shared/words.js";
import { Screen } from "/static/display/screen.js";
import { FIRST, Speech, useSecond } from "/static/display/speech.js";

const PREFIXES = [
  "page.shared.",
  "page.display.",
  "game.",
  "place.",
  "suit.",
  "series.",
  "direction.",
  "spin_flaw.",
  "phase.",
  "bet",
  "hand",
  "natural.",
  "combination.",
  "outcome",
];
const TRY_AGAIN_MS = 1000;

/** Words and layout; asked for until the table answers, because a display starts with the table or before it. */
async function catalogue() {
  for (;;) {
    try {
      return await Promise.all([loadWords(PREFIXES), get("/v1/layout")]);
    } catch {
      await new Promise((done) => setTimeout(done, TRY_AGAIN_MS));
    }
  }
}

function Display({ words, layout }) {
  const [told, setTold] = useState(null);
  const [status, setStatus] = useState("connecting");
  const second = useSecond(words);

  useEffect(() => {
    const following = follow("/v1/display/live", {
      message: (message) => message.type === "display" && setTold({ display: message.display, atMs: performance.now() }),
      status: setStatus,
    });
    return () => following.close();
  }, []);

  return html`<${Speech.Provider} value=${{ words, second, layout }}>
    <${Screen} told=${told} status=${status} />
  <//>`;
}

const [words, layout] = await catalogue();
document.documentElement.lang = FIRST;
document.title = words.say("page.display.title", {}, FIRST);
stayLit();
hidePointer();
const root = document.getElementById("page");
root.replaceChildren();
render(html`<${Display} words=${words} layout=${layout} />`, root);
