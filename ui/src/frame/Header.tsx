import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconSearch } from "@tabler/icons-react";
import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";

import { systemQuery } from "../api";
import { Mark } from "./Mark";
import { JobsChip, SparkChip } from "./SystemChips";
import { ThemeSwitch } from "./ThemeSwitch";

const SearchDialog = lazy(() => import("./SearchDialog"));
const onMac = typeof navigator !== "undefined" && /mac/i.test(navigator.userAgent);

export function Header() {
  const { data } = useQuery(systemQuery());
  const [searching, setSearching] = useState(false);
  useHotkeys([
    ["/", () => setSearching(true)],
    ["mod+K", () => setSearching(true)],
  ]);
  return (
    <div className="frame-header">
      <Link to="/" className="mark">
        <Mark />
        <span className="mark-word">Forge</span>
        {data !== undefined && <span className="mark-project">{data.project}</span>}
        <span className="only-readers">home</span>
      </Link>
      <button type="button" className="search-button" onClick={() => setSearching(true)}>
        <IconSearch size={16} aria-hidden />
        <span>Search tables, columns, branches…</span>
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
      <Suspense>{searching && <SearchDialog onClose={() => setSearching(false)} />}</Suspense>
    </div>
  );
}
