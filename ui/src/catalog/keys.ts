/** Keys of lists. */

/** A letter goes into a field of text; a radio button or a switch takes none. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type);
}
