import type { ReactNode } from "react";

import type { SourceView } from "../../api";
import { plural } from "../../format/numbers";
import { shareInWords, shareOf, statementsInWords, toneOfShare } from "./words";

type Read = Pick<SourceView, "statements" | "understood">;

/** How much was understood, as a bar; the words stand beside it. */
export function Share({ read }: { read: Read }) {
  const share = shareOf(read);
  return (
    <span className="sources-share" aria-hidden>
      {share !== undefined && <span data-tone={toneOfShare(share)} style={{ width: `${share * 100}%` }} />}
    </span>
  );
}

/** The share that was understood, large; the other sums beside it. */
export function Sums({ read, children }: { read: Read & Pick<SourceView, "queries">; children: ReactNode }) {
  return (
    <div className="sources-sums">
      <div className="sources-understood">
        <span className="sources-name">Understood</span>
        <span className="sources-large numbers">{shareInWords(read)}</span>
        <Share read={read} />
        <span className="sources-quiet">
          {statementsInWords(read)}
          {read.queries > 0 && `, beside ${plural(read.queries, "query that writes", "queries that write")} nothing`}
        </span>
      </div>
      <dl>{children}</dl>
    </div>
  );
}

export function Sum({ name, tone, children }: { name: string; tone?: "warn" | "good"; children: ReactNode }) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  );
}
