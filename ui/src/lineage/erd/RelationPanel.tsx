import { CloseButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import type { JoinView } from "../../api";
import { RunLink } from "../../components";
import { Fact } from "../../components/Fact";
import { plural } from "../../format/numbers";
import { cardinalityOf, endOf, kindInWords, surenessOf, type Relation } from "./words";

interface Props {
  relation: Relation;
  at: string | undefined;
  onClose: () => void;
}

/** One line of the diagram: what it joins, whether somebody declared it, and what speaks for it otherwise. */
export function RelationPanel({ relation, at, onClose }: Props) {
  return (
    <aside className="panel erd-detail" aria-labelledby="relation">
      <div className="erd-detail-head">
        <h2 className="panel-title" id="relation">
          {relation.type === "foreign_key" ? "Foreign key" : relation.type === "join" ? "Inferred join" : "Data flow"}
        </h2>
        <CloseButton aria-label="Close the detail" onClick={onClose} />
      </div>
      <dl className="facts">
        <Fact label="From">{endOf(relation, "source")}</Fact>
        <Fact label="To">{endOf(relation, "target")}</Fact>
        <Fact label="What it is">{kindInWords(relation)}</Fact>
        {cardinalityOf(relation) !== "" && <Fact label="Cardinality">{cardinalityOf(relation)}</Fact>}
        {relation.type !== "foreign_key" && <Fact label="Confidence">{surenessOf(relation)}</Fact>}
        {relation.type === "lineage" && (
          <Fact label="Edges">
            <Link to="/lineage" search={{ focus: relation.target, direction: "upstream", at }} className="link">
              {plural(relation.edges, "edge")} between their columns
            </Link>
          </Fact>
        )}
      </dl>
      {relation.type !== "lineage" && relation.evidence.length > 0 && <JoinSightings evidence={relation.evidence} />}
    </aside>
  );
}

/** Where the key is declared, or where code or a run joined so. */
export function JoinSightings({ evidence }: { evidence: JoinView["evidence"] }) {
  return (
    <ul className="erd-evidence" aria-label="Evidence">
      {evidence.map((one, index) => (
        <li key={index}>
          {one.file !== "" ? (
            <code className="mono name">
              {one.file}
              {one.line !== null && `:${one.line}`}
            </code>
          ) : one.run_id !== "" ? (
            <>
              run <RunLink runId={one.run_id} />
            </>
          ) : null}
          {one.expression !== "" && <code className="mono name"> {one.expression}</code>}
        </li>
      ))}
    </ul>
  );
}
