/** Keys in place of fingers: a button with `data-key` is pressed by that key, wherever the focus is. */

const TYPED = new Set(["INPUT", "TEXTAREA", "SELECT"]);

/** The live button for a key, the last of several: what was opened last lies on top. */
function buttonFor(key) {
  const found = [...document.querySelectorAll("[data-key]")].filter(
    (button) => button.dataset.key === key && !button.disabled && !button.closest("[inert]"),
  );
  return found[found.length - 1];
}

/** Starts to listen, for as long as the page lives. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const inText = TYPED.has(event.target.tagName);
    if (inText && event.key !== "Escape" && event.key !== "Enter") return;
    // Enter presses the button that has the focus, as everywhere; but a name that is chosen already isn't chosen again.
    const chosen = event.target.closest?.(".pin [aria-pressed=true]");
    if (event.key === "Enter" && event.target.tagName === "BUTTON" && !chosen) return;
    const button = buttonFor(event.key.length === 1 ? event.key.toUpperCase() : event.key);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}

/** The keys of the places 1 to 12, along the upper row of a keyboard; then those of a place's bets. */
export const PLACE_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];

/** The keys of the chips, from the least, along the lowest row. */
export const CHIP_KEYS = ["Z", "X", "C", "V", "B", "N", "M"];

/** The keys of what else may be done, along the middle row. */
export const ACT_KEYS = ["A", "S", "D", "F", "G", "H", "J", "K", "L"];
