import { Button, CloseButton, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link as Anchor } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";

import { edgeQuery, type EdgeDetail, type EdgeView } from "../../api";
import { ColumnLink, Name, Problem, RelativeTime, RunLink, StatusBadge } from "../../components";
import { moment, plural } from "../../format/numbers";
import { basisWord, confidenceWord, fileOf, producerWord, shortId, transformationWord } from "./words";

interface Props {
  id: string;
  /** What the picture knows of it: one edge, several that are one line, or nothing. */
  edges: readonly EdgeView[];
  at: string | undefined;
  onEdge: (id: string) => void;
  onClose: () => void;
}

/** One line of the picture: how a column comes from another, how sure that is, and who says so. */
export function EdgePanel({ id, edges, at, onEdge, onClose }: Props) {
  const place = useRef<HTMLElement>(null);
  // In braces: browsers give a promise back, and React would take it for what ends the effect.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const several = edges.length > 1;
  return (
    <aside ref={place} className="panel edge-panel" aria-labelledby="edge">
      <div className="edge-head">
        <h2 className="panel-title" id="edge">
          {several ? plural(edges.length, "step") : "One step"}
        </h2>
        <CloseButton aria-label="Close the detail" onClick={onClose} />
      </div>
      {several ? (
        <>
          <p className="edge-about">One line of the picture, because their columns are not all shown:</p>
          <EdgeList edges={edges} onEdge={onEdge} />
        </>
      ) : (
        <Single id={id} known={edges[0]} at={at} onEdge={onEdge} />
      )}
    </aside>
  );
}

const MOST = 40;

function EdgeList({ edges, onEdge }: { edges: readonly EdgeView[]; onEdge: (id: string) => void }) {
  return (
    <ul className="edge-list">
      {edges.slice(0, MOST).map((edge) => (
        <li key={edge.id}>
          <Button variant="subtle" size="compact-xs" className="edge-choice" onClick={() => onEdge(edge.id)}>
            {shortId(edge.source) ?? edge.source} → {shortId(edge.target) ?? edge.target}
          </Button>
        </li>
      ))}
      {edges.length > MOST && <li className="edge-about">and {edges.length - MOST} more</li>}
    </ul>
  );
}

interface SingleProps extends Pick<Props, "id" | "at" | "onEdge"> {
  known: EdgeView | undefined;
}

function Single({ id, known, at, onEdge }: SingleProps) {
  const query = useQuery(edgeQuery(id, at));
  const edge = known ?? query.data;
  return (
    <>
      {edge !== undefined && <EdgeFacts edge={edge} at={at} />}
      {query.error !== null && <Problem error={query.error} plain retry={() => void query.refetch()} retrying={query.isFetching} />}
      {query.data === undefined && query.error === null && <Skeleton h={110} mt="sm" />}
      {query.data !== undefined && <EdgeEvidence detail={query.data} onEdge={onEdge} />}
    </>
  );
}

function EdgeFacts({ edge, at }: { edge: EdgeView; at: string | undefined }) {
  return (
    <dl>
      <Term name="From">
        <ColumnLink column={edge.source} name={shortId(edge.source)} at={at} />
      </Term>
      <Term name="To">
        <ColumnLink column={edge.target} name={shortId(edge.target)} at={at} />
      </Term>
      <Term name="How">
        {transformationWord(edge)} {edge.masking && <StatusBadge word="info" label="masked" />}
        {edge.kind === "indirect" && <span className="edge-about"> · its value arrives in no column</span>}
      </Term>
      {edge.relationship != null && <Term name="Relationship">{edge.relationship}</Term>}
      <Term name="Confidence">
        <Confidence edge={edge} />
      </Term>
      {edge.expression !== "" && (
        <Term name="Expression" wide>
          <pre className="edge-expression">{edge.expression}</pre>
        </Term>
      )}
    </dl>
  );
}

const TONES: Record<string, string> = { certain: "good", high: "good", medium: "warn", low: "bad", uncertain: "bad" };

export function Confidence({ edge }: { edge: Pick<EdgeView, "level" | "confidence"> }) {
  return (
    <span className="edge-confidence numbers">
      <span className="edge-meter" aria-hidden>
        <span data-tone={TONES[edge.level] ?? "calm"} style={{ width: `${edge.confidence * 100}%` }} />
      </span>
      {confidenceWord(edge)}
    </span>
  );
}

/** Who says so, since when, and what it was before. */
function EdgeEvidence({ detail, onEdge }: { detail: EdgeDetail; onEdge: (id: string) => void }) {
  const before = detail.history.slice(1);
  return (
    <>
      {detail.confirmed && (
        <p className="edge-confirmed">
          <StatusBadge word="ok" label="confirmed: in code and in runs" />
        </p>
      )}
      <h3 className="edge-part">Evidence</h3>
      {detail.evidence.length === 0 && detail.behind.length === 0 && <p className="edge-about">Nothing beyond the edge itself was recorded.</p>}
      <ul className="edge-evidence">
        {detail.evidence.map((one, index) => (
          <li key={index}>
            <div>
              {basisWord(one.basis)}
              {one.extractor !== "" && <span className="edge-about"> · {one.extractor}</span>}
            </div>
            <div className="edge-about name">
              <Seen producer={one.producer} file={one.file} line={one.line} />
              {one.run_id !== "" && <RunLink runId={one.run_id} />}
            </div>
            <div className="edge-about">
              <span>
                seen {plural(one.times, "time")}
                {one.seen_at != null && (
                  <>
                    , last <RelativeTime time={one.seen_at} />
                  </>
                )}
              </span>
            </div>
            {one.statement !== "" && one.statement !== detail.expression && <pre className="edge-expression">{one.statement}</pre>}
          </li>
        ))}
      </ul>
      {detail.behind.length > 0 && (
        <>
          <h3 className="edge-part">{plural(detail.behind.length, "edge between their columns", "edges between their columns")}</h3>
          <EdgeList edges={detail.behind} onEdge={onEdge} />
        </>
      )}
      {detail.valid_from != null && (
        <p className="edge-about">
          Valid since {moment(detail.valid_from)}
          {detail.valid_to == null ? "." : `, until ${moment(detail.valid_to)}.`}
          {detail.actor !== "" && ` Recorded for ${detail.actor}.`}
        </p>
      )}
      {before.length > 0 && (
        <details className="edge-before">
          <summary>{plural(before.length, "older version")}</summary>
          <ul className="edge-evidence">
            {before.map((one) => (
              <li key={one.valid_from}>
                <div>
                  {moment(one.valid_from)} to {one.valid_to == null ? "now" : moment(one.valid_to)}
                </div>
                <div className="edge-about">
                  {transformationWord(one)}, {confidenceWord(one)}
                </div>
                {one.expression !== "" && <pre className="edge-expression">{one.expression}</pre>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Who saw it, and at which line. What was read out of a file leads to what else was read there. */
function Seen({ producer, file, line }: { producer: string; file: string; line: number | null }) {
  const source = fileOf(producer);
  const at = line === null ? "" : `:${line}`;
  if (source !== undefined) {
    return (
      <Anchor to="/lineage/sources" search={{ file: source }} className="link mono edge-file">
        {source}
        {at}
      </Anchor>
    );
  }
  return (
    <>
      <Producer producer={producer} />
      {file !== "" && (
        <code className="mono edge-file">
          {file}
          {at}
        </code>
      )}
    </>
  );
}

function Producer({ producer }: { producer: string }) {
  const table = /^table:(.+)$/.exec(producer)?.[1];
  if (table === undefined) return <span>{producerWord(producer)}</span>;
  return (
    <span>
      runs of{" "}
      <Anchor to="/assets/$assetId" params={{ assetId: table }} className="link name">
        <Name text={table} />
      </Anchor>
    </span>
  );
}

function Term({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div data-wide={wide}>
      <dt>{name}</dt>
      <dd className="name">{children}</dd>
    </div>
  );
}
