// Loads a page again that didn't come up: a file of it was missed, or is of another build than the others. This script
// stands inside the page (`pages.py`), so that it can't be missed itself.
(() => {
  const AGAIN_EVERY_MS = 3000;
  const UP_WITHIN_MS = 30000;
  let first;
  let unstyled = false;
  let trying = 0;

  const isUp = () => first && !first.isConnected && !unstyled;
  const tryAgain = () => {
    if (!trying && !isUp()) trying = setInterval(load, AGAIN_EVERY_MS);
  };

  /** Without an answer the browser would show a page of its own in place of this one, and stay there. */
  async function load() {
    if (isUp()) return clearInterval(trying);
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(AGAIN_EVERY_MS) }).catch(() => null);
    if (answer?.ok && !isUp()) location.reload();
  }

  addEventListener("DOMContentLoaded", () => (first = document.querySelector(".starting")));
  addEventListener("unhandledrejection", tryAgain);
  // A file that is missed tells its own element, and nothing above that, but for who listens on the way down.
  addEventListener("error", ({ target }) => {
    unstyled ||= target.rel === "stylesheet";
    tryAgain();
  }, true);
  setTimeout(tryAgain, UP_WITHIN_MS);
  // Done with: any other script that stands inside a page is a stranger's.
  document.currentScript.remove();
})();
