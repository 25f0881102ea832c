/** What a screen on a wall or at a table needs of its browser. */

const POINTER_RESTS_MS = 3000;

/** Keeps the screen lit for as long as the page is shown, where the browser can. */
export function stayLit() {
  const hold = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", hold);
  hold();
}

/** Hides the pointer while it rests: the class `resting` on the page's root. */
export function hidePointer() {
  let timer;
  const moved = () => {
    document.documentElement.classList.remove("resting");
    clearTimeout(timer);
    timer = setTimeout(() => document.documentElement.classList.add("resting"), POINTER_RESTS_MS);
  };
  addEventListener("pointermove", moved);
  moved();
}
