import { Link } from "@tanstack/react-router";
import {
  IconBook2,
  IconChartBar,
  IconColumns3,
  IconDatabase,
  IconEye,
  IconFileCertificate,
  IconFolder,
  IconLayoutDashboard,
  IconLock,
  IconRoute,
  IconSparkles,
  IconTable,
  type Icon,
} from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import type { SearchHit } from "../../api";
import { RelativeTime, StatusBadge } from "../../components";
import { count, percent, plural } from "../../format/numbers";
import { plainLine, showUnseen } from "../markdown/parse";
import { typeName } from "../pii/words";
import type { CatalogSearch } from "./search";
import { boostInWords, excerptOf, piecesOf, placeIn, placeOf, SORTED_BY, stageInWords, type Piece } from "./words";

const SIGNS: Record<string, Icon> = {
  table: IconTable,
  view: IconEye,
  column: IconColumns3,
  term: IconBook2,
  schema: IconFolder,
  database: IconDatabase,
  pipeline: IconRoute,
  dashboard: IconLayoutDashboard,
  metric: IconChartBar,
  model: IconSparkles,
};

interface Props {
  hit: SearchHit;
  /** The keyboard is here. */
  chosen: boolean;
  sort: CatalogSearch["sort"];
}

/** One result: what it is, what of it matched, and why it is where it is. */
export function Hit({ hit, chosen, sort }: Props) {
  const place = useRef<HTMLLIElement>(null);
  const Sign = SIGNS[hit.type] ?? IconTable;
  const about = hit.highlight?.description ?? { text: hit.description, marks: [] };
  useEffect(() => {
    if (chosen) place.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <li ref={place} className="hit" data-chosen={chosen || undefined} aria-current={chosen || undefined}>
      <Sign size={19} stroke={1.7} aria-hidden className="hit-sign" />
      <div className="hit-body">
        <div className="hit-title">
          <Link {...placeOf(hit)} className="link name hit-name">
            <span className="hit-container">{placeIn(hit)}</span>
            <Pieces pieces={piecesOf(hit.name, hit.highlight?.name.marks ?? [])} />
          </Link>
          <span className="hit-kind">{hit.type}</span>
          <Marks hit={hit} />
        </div>
        {about.text !== "" && (
          <p className="hit-about">
            <Pieces pieces={excerptOf(about.text, about.marks)} />
          </p>
        )}
        <MatchedColumns hit={hit} />
        <Facts hit={hit} sort={sort} />
      </div>
    </li>
  );
}

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, index) => (piece.marked ? <mark key={index}>{plainLine(piece.text)}</mark> : plainLine(piece.text)));
}

function Marks({ hit }: { hit: SearchHit }) {
  return (
    <>
      {hit.vanished && <StatusBadge word="archived" label="vanished" title="Its source does not have it any more; what was written about it is kept" />}
      {hit.deprecated && <StatusBadge word="deprecated" />}
      {hit.classification != null && (
        <span className="badge" data-tone={hit.classification === "restricted" ? "bad" : hit.classification === "confidential" ? "warn" : "calm"}>
          {hit.classification}
        </span>
      )}
      {hit.pii.length > 0 && (
        <span className="badge" data-tone="busy" title={hit.pii.map(typeName).join(", ")}>
          <IconLock size={13} stroke={2} aria-hidden />
          {hit.pii.length === 1 ? typeName(hit.pii[0] ?? null) : "personal data"}
        </span>
      )}
      {hit.has_contract && (
        <span className="hit-contract" title="A contract says what it promises">
          <IconFileCertificate size={15} aria-label="has a contract" />
        </span>
      )}
    </>
  );
}

const FEW = 5;

function MatchedColumns({ hit }: { hit: SearchHit }) {
  const { matched_columns: columns } = hit;
  if (columns.length === 0 || hit.type === "column") return null;
  const named = columns.filter((column) => column.marks.length > 0);
  const described = columns.filter((column) => column.marks.length === 0);
  return (
    <p className="hit-columns">
      {named.length > 0 && (
        <>
          {named.length === 1 ? "Matching column" : "Matching columns"}: <Columns hit={hit} columns={named} />
        </>
      )}
      {named.length > 0 && described.length > 0 && "; "}
      {described.length > 0 && (
        <>
          {named.length > 0 ? "by description or term" : "Columns that match by description or term"}: <Columns hit={hit} columns={described} />
        </>
      )}
    </p>
  );
}

function Columns({ hit, columns }: { hit: SearchHit; columns: SearchHit["matched_columns"] }) {
  const more = columns.length - FEW;
  return (
    <>
      {columns.slice(0, FEW).map((column, index) => (
        <span key={column.name}>
          {index > 0 && ", "}
          <Link to="/assets/$assetId" params={{ assetId: hit.id }} search={{ tab: "lineage", col: column.name }} className="quiet-link name">
            <Pieces pieces={piecesOf(column.name, column.marks)} />
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${count(more)} more`}
    </>
  );
}

function Facts({ hit, sort }: Pick<Props, "hit" | "sort">) {
  const [why, setWhy] = useState(false);
  return (
    <>
      <div className="hit-facts">
        {hit.owner != null && <span className="name">{showUnseen(hit.owner)}</span>}
        {hit.domain != null && <span>{showUnseen(hit.domain)}</span>}
        {hit.tags.map((tag) => (
          <span key={tag} className="tag">
            {showUnseen(tag)}
          </span>
        ))}
        {hit.quality != null && <span className="numbers">quality {percent(hit.quality)}</span>}
        {hit.popularity > 0 && <span className="numbers">used {plural(hit.popularity, "time")}</span>}
        {hit.fresh_at != null && (
          <span>
            changed <RelativeTime time={hit.fresh_at} />
          </span>
        )}
        {hit.explanation != null && (
          <button type="button" className="hit-why" aria-expanded={why} onClick={() => setWhy(!why)}>
            Why here?
          </button>
        )}
      </div>
      {why && hit.explanation != null && <Why explanation={hit.explanation} sort={sort} />}
    </>
  );
}

interface WhyProps {
  explanation: NonNullable<SearchHit["explanation"]>;
  sort: Props["sort"];
}

function Why({ explanation, sort }: WhyProps) {
  const stage = <strong>{stageInWords(explanation.stage)}</strong>;
  if (sort !== undefined && sort !== "relevance") {
    return (
      <div className="hit-explanation">
        <p>
          It is found because {stage}. Its rank is by {SORTED_BY[sort]}, as you chose.
        </p>
      </div>
    );
  }
  return (
    <div className="hit-explanation">
      <p>
        {explanation.stage === "browse" ? "No words were searched for, so the points decide" : <>It is found because {stage}. Better matches come first; among equal ones the points decide</>}: {count(explanation.points)}.
      </p>
      <ul>
        <li className="numbers">{count(explanation.base)} to begin with</li>
        {explanation.boosts.map((boost) => (
          <li key={boost.name} className="numbers">
            {boostInWords(boost)}
          </li>
        ))}
      </ul>
    </div>
  );
}
