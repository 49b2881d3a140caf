import "./catalog.css";

import { Link } from "@tanstack/react-router";
import { IconBook2, IconFolders, IconSearch, IconShieldLock, IconTable, type Icon } from "@tabler/icons-react";

const PARTS: readonly { to: "/catalog" | "/search" | "/assets" | "/glossary" | "/pii"; label: string; icon: Icon }[] = [
  { to: "/catalog", label: "Browse", icon: IconFolders },
  { to: "/search", label: "Search", icon: IconSearch },
  { to: "/assets", label: "Assets", icon: IconTable },
  { to: "/glossary", label: "Glossary", icon: IconBook2 },
  { to: "/pii", label: "Personal data", icon: IconShieldLock },
];

/** The parts of the catalog, as addresses of their own. */
export function CatalogNav() {
  return (
    <nav className="catalog-nav" aria-label="Catalog">
      {PARTS.map(({ to, label, icon: Sign }) => (
        <Link key={to} to={to} className="catalog-nav-link" activeOptions={{ includeSearch: false }}>
          <Sign size={16} stroke={1.7} aria-hidden className="catalog-nav-icon" />
          {label}
        </Link>
      ))}
    </nav>
  );
}
