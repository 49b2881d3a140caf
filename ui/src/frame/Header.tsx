import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconSearch } from "@tabler/icons-react";
import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

import { systemQuery } from "../api";
import { Mark } from "../components/Mark";
import { bufferKeys, type KeyBuffer } from "./keyBuffer";
import { JobsChip, SparkChip } from "./SystemChips";
import { ThemeSwitch } from "./ThemeSwitch";

const SearchDialog = lazy(() => import("./SearchDialog"));
const onMac = typeof navigator !== "undefined" && /mac/i.test(navigator.userAgent);

export function Header() {
  const { data } = useQuery(systemQuery());
  const { searching, open, close, takeTyped } = useSearching();
  useHotkeys([
    ["/", open],
    ["mod+K", open],
  ]);
  return (
    <div className="frame-header">
      <Link to="/" className="mark">
        <Mark />
        <span className="mark-word">Forge</span>
        {data !== undefined && <span className="mark-project">{data.project}</span>}
        <span className="only-readers">home</span>
      </Link>
      <button type="button" className="search-button" onClick={open}>
        <IconSearch size={16} aria-hidden />
        <span>Search tables, columns, terms…</span>
        <kbd className="key" aria-hidden>
          /
        </kbd>
        <kbd className="key" aria-hidden>
          {onMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
      <div className="header-end">
        <JobsChip />
        <SparkChip />
        <ThemeSwitch />
      </div>
      <Suspense>{searching && <SearchDialog onClose={close} takeTyped={takeTyped} />}</Suspense>
    </div>
  );
}

/** The dialog's code and its field take a moment; what is typed meanwhile is kept for it. */
function useSearching() {
  const [searching, setSearching] = useState(false);
  const typed = useRef<KeyBuffer>(undefined);
  const takeTyped = (): string => typed.current?.take() ?? "";
  const open = (): void => {
    if (searching) return;
    takeTyped();
    typed.current = bufferKeys();
    setSearching(true);
  };
  const close = (): void => {
    takeTyped();
    setSearching(false);
  };
  // Leaving the page must not leave a listener that swallows keys.
  useEffect(() => () => void typed.current?.take(), []);
  return { searching, open, close, takeTyped };
}
