/** All items of a list that came in pages. What moved on between two requests, because something new came in, is there once. */
export function itemsOf<T extends { id: string }>(pages: readonly { items: readonly T[] }[]): T[] {
  return [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()];
}
