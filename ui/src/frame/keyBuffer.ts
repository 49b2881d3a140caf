/** Keeps what is typed between the key that opens the search and the moment its field has the focus. */

export interface KeyBuffer {
  /** What was typed so far; from now on the field gets the keys itself. */
  take: () => string;
}

export function bufferKeys(): KeyBuffer {
  let typed = "";
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key.length === 1) typed += event.key;
    else if (event.key === "Backspace") typed = typed.slice(0, -1);
    else return;
    // It belongs to the search, not to what has the focus still: a space would press a button.
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("keydown", onKey, { capture: true });
  return {
    take: () => {
      window.removeEventListener("keydown", onKey, { capture: true });
      const all = typed;
      typed = "";
      return all;
    },
  };
}
