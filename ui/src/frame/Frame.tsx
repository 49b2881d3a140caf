import { AppShell } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { systemQuery } from "../api";
import { ConnectionBanner } from "./ConnectionBanner";
import { Header } from "./Header";
import { placeOn, PLACES } from "./places";

/** What every page stands in: header, menu, and a place for messages about the connection. */
export function Frame() {
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: true } }}
        footer={{ height: { base: 58, sm: 0 } }}
        padding={{ base: 16, sm: 28 }}
      >
        <AppShell.Header style={{ borderColor: "var(--forge-line)" }}>
          <Header />
        </AppShell.Header>
        <AppShell.Navbar component="nav" aria-label="Main" visibleFrom="sm" style={{ borderColor: "var(--forge-line)" }}>
          <SideMenu />
        </AppShell.Navbar>
        <AppShell.Main id="main" ref={main} tabIndex={-1}>
          <ConnectionBanner />
          <div className="page">
            <Outlet />
          </div>
        </AppShell.Main>
        <AppShell.Footer component="nav" aria-label="Main" hiddenFrom="sm" style={{ borderColor: "var(--forge-line)" }}>
          <BottomMenu />
        </AppShell.Footer>
      </AppShell>
    </>
  );
}

/** A new page is read from its beginning: without this, focus would stay on a link that is gone. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const first = useRef(true);
  useEffect(() => {
    if (path === undefined) return;
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path, main]);
}

function SideMenu() {
  const { data } = useQuery(systemQuery());
  const here = useHere(PLACES);
  return (
    <div className="nav">
      {PLACES.map(({ to, label, icon: Sign }) => (
        <Link key={to} to={to} className="nav-link" data-here={to === here || undefined} activeOptions={{ exact: to === "/", includeSearch: false }}>
          <Sign size={19} stroke={1.7} aria-hidden />
          {label}
        </Link>
      ))}
      <div className="nav-foot">{data === undefined ? " " : `Forge ${data.version}`}</div>
    </div>
  );
}

const FEW = PLACES.filter((place) => place.wide !== true);

function useHere(menu: typeof PLACES): string | undefined {
  return useRouterState({ select: ({ location }) => placeOn(location.pathname, menu)?.to });
}

function BottomMenu() {
  const here = useHere(FEW);
  return (
    <div className="bottom-nav">
      {FEW.map(({ to, label, icon: Sign }) => (
        <Link key={to} to={to} className="bottom-link" data-here={to === here || undefined} activeOptions={{ exact: to === "/", includeSearch: false }}>
          <Sign size={20} stroke={1.7} aria-hidden />
          {label}
        </Link>
      ))}
    </div>
  );
}
