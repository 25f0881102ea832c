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

/** The keys of the places 1 to 12, along the upper row of a keyboard. */
export const PLACE_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];

/** After a place was chosen by key or tabulator: what is entered next is for the bet, not for the place's button. */
export function toBets(event) {
  if (event.detail === 0) requestAnimationFrame(() => document.querySelector(".bet-pad h2")?.focus());
}
