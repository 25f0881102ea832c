/** What is asked for again whenever there is something new: lists page by page, the newest first, and single answers. */
import { useEffect, useState } from "/static/vendor/htm-preact.js";
import { get } from "/static/shared/api.js";

const SETTLES_MS = 150;
const ANSWER_WITHIN_MS = 30000;
const AGAIN_MS = 3000;

/**
 * Asks once what is typed has settled, and again while nothing or nobody answers.
 *
 * @param {() => Promise<object>} ask
 * @returns {() => void} ends it.
 */
function asking(ask, setTold, setError) {
  let over = false;
  let timer = 0;
  const read = async () => {
    try {
      const answer = await ask();
      if (over) return;
      setTold(answer);
      setError(null);
    } catch (failed) {
      if (over) return;
      setError(failed);
      if (failed.mayBeDone) timer = setTimeout(read, Math.max(AGAIN_MS, failed.retryMs));
    }
  };
  timer = setTimeout(read, SETTLES_MS);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

/**
 * The answer to one question, and what went wrong.
 *
 * @param {() => string} path made when it is asked.
 * @param {any[]} news asks again when one of these changes.
 * @returns {[object | null, Error | null]}
 */
export function useAnswer(path, news) {
  const [told, setTold] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => asking(() => get(path(), ANSWER_WITHIN_MS), setTold, setError), news);
  return [told, error];
}

/**
 * The items found under a path, how to get older ones, and what went wrong.
 *
 * @param {string} path with its query; another path is another search.
 * @param {number} news changes when there is something new.
 * @param {{items: string, number: (item) => number, reached: (page) => number}} form the items' name in a page, an item's
 *   number, and before which number the next older page begins.
 * @returns {[{items: object[], more: boolean}, () => Promise<void>, Error | null]}
 */
export function usePages(path, news, form) {
  const [found, setFound] = useState({ items: [], more: false, reached: 0 });
  const [error, setError] = useState(null);
  const read = async (asked) => {
    const page = await get(asked, ANSWER_WITHIN_MS);
    return { path, items: page[form.items], more: page.more, reached: form.reached(page) };
  };
  useEffect(() => asking(() => read(path), (page) => setFound((before) => joined(page, before, form.number)), setError), [path, news]);
  const more = async () => {
    try {
      const page = await read(`${path}&before=${found.reached}`);
      setFound({ ...page, items: [...found.items, ...page.items] });
    } catch (failed) {
      setError(failed);
    }
  };
  return [found, more, error];
}

/** The newest page, and below it what was loaded before of the same search. */
function joined(page, before, number) {
  const older = before.path === page.path ? before.items.filter((item) => number(item) < page.reached) : [];
  if (!older.length) return page;
  return { ...page, items: [...page.items, ...older], more: before.more, reached: Math.min(before.reached, page.reached) };
}
