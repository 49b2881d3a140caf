import "@testing-library/jest-dom/vitest";

import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

afterEach(cleanup);
// A busy machine is no failure: what is waited for ends the wait, not the clock.
configure({ asyncUtilTimeout: 30_000 });
// The day on which the fixtures were made: "15 Nov", "16 h ago". Only the date stands still; timers run.
vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-15T22:10:00Z") });

// What jsdom does not have and Mantine asks for.
Object.defineProperty(window, "matchMedia", {
  value: (query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  }),
});

// Mantine measures a growing text again once fonts are there.
Object.defineProperty(document, "fonts", { value: new EventTarget() });

class NoResize {
  observe(): void {
    // Nothing has a size in jsdom.
  }
  unobserve(): void {
    // As above.
  }
  disconnect(): void {
    // As above.
  }
}
vi.stubGlobal("ResizeObserver", NoResize);
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

// jsdom lays nothing out; the editor asks where a text stands.
Range.prototype.getClientRects = () => Object.assign([], { item: () => null });
