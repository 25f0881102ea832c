/** The surveillance view: loads the words, signs a person on, and shows the desk. It changes nothing at the table. */
import { html, render, useState } from "/static/vendor/htm-preact.js";
import { get, session } from "/static/shared/api.js";
import { useWords } from "/static/shared/parts.js";
import { loadWords } from "/static/shared/words.js";
import { Desk } from "/static/surveillance/desk.js";
import { SignOn } from "/static/surveillance/sign_on.js";

const PREFIXES = [
  "page.shared.", "page.surveillance.", "page.display.dice.", "fairness.", "explain.", "game.", "place.", "device.", "phase.", "bet.", "hand.", "role.",
  "severity.", "authority.", "outcome.", "series.", "suit.", "irregular.", "natural.", "combination.", "layer.",
];
const AGAIN_AFTER_MS = 1000;

/** Those who may see what was recorded. */
const WATCHERS = ["surveillance", "supervisor", "technician"];

function Page({ words, layout, first }) {
  useWords(words);
  const [who, setWho] = useState(first);
  document.title = `${layout.table} · ${words.say("page.surveillance.title")}`;
  if (!who || !WATCHERS.includes(who.role)) {
    return html`<${SignOn} words=${words} layout=${layout} other=${who} entered=${setWho} />`;
  }
  return html`<${Desk} key=${who.person} words=${words} layout=${layout} who=${who} leave=${() => setWho(null)} />`;
}

async function start() {
  const [words, layout, first] = await Promise.all([loadWords(PREFIXES), get("/v1/layout"), session()]);
  const root = document.getElementById("page");
  root.textContent = "";
  render(html`<${Page} words=${words} layout=${layout} first=${first} />`, root);
}

async function startWhenThere() {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (error.status === undefined) throw error;
      document.querySelector(".starting")?.replaceChildren("⚠ … ↻");
      await new Promise((done) => setTimeout(done, AGAIN_AFTER_MS));
    }
  }
}

startWhenThere();
