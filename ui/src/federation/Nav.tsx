import "./federation.css";

import { Link } from "@tanstack/react-router";
import { IconDatabase, IconTableAlias, IconTerminal2, type Icon } from "@tabler/icons-react";

const PARTS: readonly { to: "/query" | "/sources" | "/virtual-tables"; label: string; icon: Icon }[] = [
  { to: "/query", label: "Query", icon: IconTerminal2 },
  { to: "/sources", label: "Sources", icon: IconDatabase },
  { to: "/virtual-tables", label: "Virtual tables", icon: IconTableAlias },
];

/** Asking, and what can be asked. */
export function FederationNav() {
  return (
    <nav className="federation-nav" aria-label="Query">
      {PARTS.map(({ to, label, icon: Sign }) => (
        <Link key={to} to={to} className="federation-nav-link" activeOptions={{ includeSearch: false }}>
          <Sign size={16} stroke={1.7} aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
