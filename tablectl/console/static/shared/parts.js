/** What every page has: its language, whether it is connected, and that what it shows isn't real money. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";

/** The page's words, drawn anew when the language changes. */
export function useWords(words) {
  const [, setLanguage] = useState(words.language);
  useEffect(() => words.watch(setLanguage), [words]);
  return words;
}

/** One button per language, each in its own writing; in a short form where there is little room. */
export function Languages({ words, short = false }) {
  useWords(words);
  const next = words.languages[(words.languages.indexOf(words.language) + 1) % words.languages.length];
  return html`<div class="languages" role="group" aria-label=${words.say("page.shared.language")}>
    ${words.languages.map((language) => html`
      <button type="button" lang=${language} data-key=${language === next ? "F2" : undefined} aria-label=${words.say("page.shared.own_name", {}, language)}
        aria-pressed=${String(language === words.language)} onClick=${() => words.choose(language)}>
        ${words.say(`page.shared.${short ? "short_name" : "own_name"}`, {}, language)}
      </button>`)}
  </div>`;
}

/**
 * That something here is simulated, in every language at once.
 *
 * @param {{simulated: boolean, words: Words}} props
 */
export function DemoBand({ simulated, words }) {
  if (!simulated) return null;
  const texts = words.languages.map((language) => html`<span lang=${language}>${words.say("page.shared.demo", {}, language)}</span>`);
  return html`<p class="demo-band">${texts.flatMap((text, nth) => (nth ? [" · ", text] : [text]))}</p>`;
}

/**
 * That the page isn't connected, and so may show what is over.
 *
 * @param {{status: string, words: Words}} props the status that `follow` reported last.
 */
export function NotConnected({ status, words }) {
  useWords(words);
  const shown = status !== "connected";
  return html`<div role="status">
    ${shown && html`<p class="not-connected lamp lamp-bad">${words.say(`page.shared.status.${status}`)}</p>`}
  </div>`;
}

const THEMES = ["light", "dark"];
const KEPT_THEME = "tablectl.theme";

/** Puts the theme that was chosen on this machine on the page; without one the browser's own holds. */
export function keepTheme() {
  try {
    const kept = localStorage.getItem(KEPT_THEME);
    if (THEMES.includes(kept)) document.documentElement.dataset.theme = kept;
  } catch {
    // a browser that keeps nothing still shows the page
  }
}

/** Goes from dark to light and back; the choice is kept on this machine. */
export function Theme({ words }) {
  const change = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem(KEPT_THEME, root.dataset.theme);
    } catch {
      // as above: the choice then lasts as long as the page
    }
  };
  return html`<button type="button" class="button theme" data-key="F4" aria-label=${words.say("page.shared.theme")} onClick=${change}>◐</button>`;
}
