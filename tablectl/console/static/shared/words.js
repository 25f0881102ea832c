/**
 * What pages say, in every language of the house, from the same catalogue as the table's own texts.
 */
import { get } from "/static/shared/api.js";

const KEPT = "tablectl.language";

/**
 * The catalogue below some prefixes.
 *
 * @param {string[]} prefixes such as `["page.shared.", "bet."]`.
 * @returns {Promise<Words>}
 */
export async function loadWords(prefixes) {
  const parts = await Promise.all(prefixes.map((prefix) => get(`/v1/words?prefix=${encodeURIComponent(prefix)}`)));
  const languages = Object.keys(parts[0]);
  const texts = languages.map((language) => [language, Object.assign({}, ...parts.map((part) => part[language]))]);
  return new Words(Object.fromEntries(texts));
}

/** Texts by key and language; one language is the page's, and may change at any time. */
export class Words {
  constructor(texts) {
    this.texts = texts;
    this.languages = Object.keys(texts);
    this.watchers = new Set();
    this.language = this.chosen();
    document.documentElement.lang = this.language;
  }

  /** The language named in the address, else the one chosen last, else the browser's first that the house has. */
  chosen() {
    const wished = [new URLSearchParams(location.search).get("lang"), kept(), ...navigator.languages.map(houseName)];
    return wished.find((language) => this.languages.includes(language)) || this.languages[0];
  }

  /** Changes the page's language, and remembers it on this machine. */
  choose(language) {
    if (!this.languages.includes(language)) return;
    this.language = language;
    document.documentElement.lang = language;
    keep(language);
    for (const watcher of this.watchers) watcher(language);
  }

  /** Calls `watcher` after every change of language; returns what ends that. */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Whether there is a text. */
  has(key) {
    return key in this.texts[this.language];
  }

  /**
   * The text with its `{names}` filled in; the key itself where there is none: a page never stops for a word.
   *
   * `{turns:turn|turns}` is the number and the word for one or for several.
   */
  say(key, values = {}, language = this.language) {
    const text = this.texts[language]?.[key];
    if (text === undefined) return key;
    return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, several) => {
      if (!(name in values)) return whole;
      const value = String(values[name]);
      return several === undefined ? value : `${value} ${value === "1" ? one : several}`;
    });
  }

  /** The first of several keys that has a text. */
  first(keys, values = {}, language = this.language) {
    return this.say(keys.find((key) => key in this.texts[language]) ?? keys[keys.length - 1], values, language);
  }

  /** What the table says in every language, `{en, pt, "zh-Hant"}`, in one. */
  pick(text, language = this.language) {
    return text ? (text[language] ?? text.en ?? "") : "";
  }

  /** The parts in a row; empty ones are left out. */
  list(parts) {
    return parts.filter(Boolean).join(this.say("list.two", { first: "", second: "" }));
  }

  /** A place, as 3 or "dealer", by its name. */
  place(place, language = this.language) {
    if (typeof place === "number") return this.say("place.number", { number: place }, language);
    return this.say(`place.${place || "unknown"}`, {}, language);
  }
}

/** A browser's language as the house names it: any Chinese is the traditional one. */
const houseName = (language) => (language.startsWith("zh") ? "zh-Hant" : language.split("-")[0]);

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // a browser that keeps nothing still shows the page
  }
}

function keep(language) {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // as above: the choice then lasts as long as the page
  }
}
