/** The dealer's console: loads what the table says of itself, signs a person on, and shows the table. */
import { html, render, useEffect, useState } from "/static/vendor/htm-preact.js";
import { get, session } from "/static/shared/api.js";
import { stayLit } from "/static/shared/kiosk.js";
import { keepTheme } from "/static/shared/parts.js";
import { startWhenThere } from "/static/shared/start.js";
import { loadWords } from "/static/shared/words.js";
import { Console } from "/static/dealer/console.js";
import { listenToKeys } from "/static/dealer/keys.js";
import { SignOn } from "/static/dealer/sign_on.js";

function Page({ words, layout, first }) {
  const [{ who, notice }, set] = useState({ who: first, notice: null });
  const [, redraw] = useState("");
  useEffect(() => words.watch(redraw), []);
  if (!who) return html`<${SignOn} words=${words} layout=${layout} entered=${(entered) => set({ who: entered, notice })} />`;
  return html`<${Console} key=${who.person} words=${words} layout=${layout} who=${who} notice=${notice} leave=${(left) => set({ who: null, notice: left })} />`;
}

/** All words are asked for at once: the page needs most of them, and one answer comes sooner than thirty. */
async function start() {
  const [words, layout, first] = await Promise.all([loadWords([""]), get("/v1/layout"), session()]);
  const root = document.getElementById("page");
  root.textContent = "";
  document.title = `${layout.table} · ${words.say(`game.${layout.game}`)}`;
  render(html`<${Page} words=${words} layout=${layout} first=${first} />`, root);
}

keepTheme();
listenToKeys();
stayLit();
startWhenThere(start);
