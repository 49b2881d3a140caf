/** Gives a text to the browser as a file; nothing is asked of the server. */
export function download(name: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** `core.orders.amount` and `svg` → `lineage-core.orders.amount.svg`; what no file system takes becomes a dash. */
export function fileName(kind: string, focus: string, ending: string): string {
  const safe = focus.replaceAll(/[^\w.@-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 120);
  return `${kind}-${safe === "" ? "all" : safe}.${ending}`;
}
