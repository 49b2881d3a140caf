import { Link } from "@tanstack/react-router";

import { showUnseen } from "../markdown/parse";

/** Each leads to everything that has it. */
export function TagLinks({ tags }: { tags: readonly string[] }) {
  return (
    <span className="fact-tags">
      {tags.map((tag) => (
        <Link key={tag} to="/search" search={{ tags: [tag] }} className="tag" title={`Everything tagged ${tag}`}>
          {showUnseen(tag)}
        </Link>
      ))}
    </span>
  );
}
