import { Link } from "@tanstack/react-router";

import type { LanguageTotal, SourceTotals } from "../../api";
import { RelativeTime } from "../../components";
import { count, plural } from "../../format/numbers";
import { Share, Sum, Sums } from "./Share";
import { languageWord, shareInWords } from "./words";

/** The sums of all files, and of each language. */
export function Totals({ totals }: { totals: SourceTotals }) {
  return (
    <section className="panel sources-totals" aria-label="All files">
      <Sums read={totals}>
        <Sum name="Files">{count(totals.files)}</Sum>
        <Sum name="Edges">{count(totals.edges)}</Sum>
        <Sum name="Gaps" tone={totals.gaps > 0 ? "warn" : "good"}>
          {count(totals.gaps)}
        </Sum>
        <Sum name="Last read">
          <RelativeTime time={totals.read_at} />
        </Sum>
      </Sums>
      {totals.languages.length > 0 && (
        <ul className="sources-languages" aria-label="By language">
          {totals.languages.map((one) => (
            <Language key={one.language} of={one} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Language({ of: one }: { of: LanguageTotal }) {
  return (
    <li>
      <Link to="/lineage/sources" search={{ language: one.language }} resetScroll={false} className="sources-language">
        <span className="sources-language-name">{languageWord(one.language)}</span>
        <Share read={one} />
        <span className="numbers">{shareInWords(one)}</span>
        <span className="sources-quiet numbers">
          {plural(one.files, "file")}, {plural(one.edges, "edge")}, {plural(one.gaps, "gap")}
        </span>
      </Link>
    </li>
  );
}
