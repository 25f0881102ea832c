/** Two languages at once, as on the tables of the house: Chinese large, and Portuguese and English in turn below. */
import { createContext, html, useContext, useEffect, useState } from "/static/vendor/htm-preact.js";

export const FIRST = "zh-Hant";
const SECOND = ["pt", "en"];
const TURN_MS = 8000;

/** `{words, second, layout}`: the catalogue, the language below the first (empty: none), and the table's layout. */
export const Speech = createContext(null);

/**
 * The second language now. One that the address names (`?lang=en`) stays; with `?lang=zh-Hant` there is none.
 *
 * Where less motion is wished for, Portuguese stays: it is the law's other language.
 */
export function useSecond(words) {
  const named = new URLSearchParams(location.search).get("lang");
  const fixed = words.languages.includes(named);
  const [nth, setNth] = useState(0);
  useEffect(() => {
    if (fixed || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    const timer = setInterval(() => setNth((before) => (before + 1) % SECOND.length), TURN_MS);
    return () => clearInterval(timer);
  }, [fixed]);
  if (fixed) return named === FIRST ? "" : named;
  return SECOND[nth];
}

/**
 * A text in both languages.
 *
 * @param {{of?: string|string[], values?: object|function(string): object, text?: object, line?: boolean}} props the
 *   key, or several of which the first known one counts, and what is filled in, or filled in per language; or a text
 *   that comes in every language; `line` puts both on one line.
 */
export function T({ of, values = {}, text, line = false }) {
  const { words, second } = useContext(Speech);
  const keys = [of].flat();
  const say = (language) =>
    text ? words.pick(text, language) : words.first(keys, typeof values === "function" ? values(language) : values, language);
  const [above, below] = [say(FIRST), second && say(second)];
  return html`<span class=${line ? "two two-line" : "two"}>
    <span class="first" lang=${FIRST}>${above}</span>
    ${below && below !== above && html` <span class="second" lang=${second}>${below}</span>`}
  </span>`;
}

/** A function that says a text in the first language, for names that are read aloud or measured. */
export function useSay() {
  const { words } = useContext(Speech);
  return (of, values = {}) => words.first([of].flat(), values, FIRST);
}
