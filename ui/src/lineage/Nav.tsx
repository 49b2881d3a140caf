import "./page.css";

import { Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconSchema } from "@tabler/icons-react";

/** How data flows, and how tables belong together: two pictures of the same graph, at the same time. */
export function LineageNav({ at }: { at: string | undefined }) {
  return (
    <nav className="lineage-nav" aria-label="Pictures of the graph">
      <Link to="/lineage" search={{ at }} className="lineage-nav-link" activeOptions={{ exact: true, includeSearch: false }}>
        <IconBinaryTree2 size={16} stroke={1.7} aria-hidden />
        Lineage
      </Link>
      <Link to="/lineage/erd" search={{ at }} className="lineage-nav-link" activeOptions={{ includeSearch: false }}>
        <IconSchema size={16} stroke={1.7} aria-hidden />
        ERD
      </Link>
    </nav>
  );
}
