import "./builder.css";

import { Button, NumberInput, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { composeQuery, outlineQuery } from "../../api/federation";
import { Problem } from "../../components";
import { Columns } from "./Columns";
import { Conditions } from "./Conditions";
import { EMPTY, gapOf, written, type Query } from "./edit";
import { Groups, Order } from "./Order";
import { Tables } from "./Tables";
import { useColumns, useTables } from "./useTables";

interface Props {
  sql: string;
  at: string | undefined;
  onTyped: (sql: string) => void;
  /** The SQL of the last change, which the server writes. */
  onWriting: (sql: Promise<string>) => void;
  onRun: () => void;
  onText: () => void;
}

/** The query that was put together here; `sql` is null until the server has written it. */
interface Own {
  query: Query;
  sql: string | null;
}

/** A query put together without typing SQL: what the text says, as far as it can be shown, and back. */
export default function Builder({ sql, at, onTyped, onWriting, onRun, onText }: Props) {
  const [own, setOwn] = useState<Own | null>(null);
  const [refused, setRefused] = useState<unknown>(null);
  const last = useRef(0);
  const isOwn = own !== null && (own.sql === null || own.sql === sql);
  const isEmpty = sql.trim() === "";
  const read = useQuery({ ...outlineQuery(sql), enabled: !isOwn && !isEmpty });
  const query = isOwn ? own.query : isEmpty ? EMPTY : (read.data?.query ?? null);
  const { tables, pending } = useTables(at);
  const columns = useColumns(query?.tables ?? [], tables, at);

  const change = (next: Query): void => {
    const number = ++last.current;
    const whole = written(next);
    const writing = whole === null ? Promise.resolve("") : composeQuery(whole);
    setOwn({ query: next, sql: null });
    onWriting(writing);
    writing.then(
      (text) => {
        if (number !== last.current) return;
        setOwn({ query: next, sql: text });
        setRefused(null);
        onTyped(text);
      },
      (error: unknown) => {
        if (number === last.current) setRefused(error);
      },
    );
  };

  if (query === null) {
    if (read.error !== null) return <Stopped onText={onText} reason={<Problem error={read.error} plain />} />;
    if (read.data?.not_shown == null) return <Skeleton h={148} radius={0} />;
    const { what, where } = read.data.not_shown;
    const [, line, column] = /:(\d+):(\d+)$/.exec(where ?? "") ?? [];
    return (
      <Stopped
        onText={onText}
        reason={
          <p>
            The builder does not show <b>{what}</b>
            {line !== undefined && column !== undefined && ` (line ${line}, column ${column})`}. The query stays as it is written, and runs.
          </p>
        }
      />
    );
  }
  const choices = columns.flat();
  const has = query.tables.length > 0;
  const gap = gapOf(query);
  const groups = query.group_by.length > 0 || query.having.groups.length > 0 || query.columns.some(({ term }) => (term.aggregate ?? null) !== null);
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onRun();
    }
  };
  return (
    // eslint-disable-next-line jsx-a11y-x/no-static-element-interactions -- the key that runs the query, from any of its fields
    <div className="builder" onKeyDown={keys}>
      {!isOwn && read.data?.has_comments === true && <p className="builder-note">The SQL has comments. The first change here writes it anew, without them.</p>}
      <Part title="Tables">
        <Tables query={query} tables={tables} pending={pending} columns={columns} change={change} />
      </Part>
      {has && (
        <>
          <Part title="Columns">
            <Columns query={query} choices={choices} change={change} />
          </Part>
          <Part title="Filters">
            <Conditions label="Filter" filter={query.where} choices={choices} change={(where) => change({ ...query, where })} />
          </Part>
          {groups && (
            <>
              <Part title="Grouped by">
                <Groups query={query} choices={choices} change={change} />
              </Part>
              <Part title="Groups where">
                <Conditions label="Filter of groups" aggregates filter={query.having} choices={choices} change={(having) => change({ ...query, having })} />
              </Part>
            </>
          )}
          <Part title="Order">
            <Order query={query} choices={choices} change={change} />
          </Part>
          <Part title="Rows at most">
            <NumberInput
              size="xs"
              className="builder-limit"
              aria-label="Rows at most"
              placeholder="all"
              allowDecimal={false}
              allowNegative={false}
              max={999_999_999}
              hideControls
              value={query.limit ?? ""}
              onChange={(value) => change({ ...query, limit: typeof value === "number" ? value : null })}
            />
          </Part>
        </>
      )}
      {refused !== null && <Problem error={refused} plain />}
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- a long query scrolls, so the keyboard must reach it */}
      <pre className="builder-sql" role="region" aria-label="SQL of the builder" tabIndex={0}>
        {gap ?? sql}
      </pre>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="builder-part" aria-label={title}>
      <h3 className="builder-title">{title}</h3>
      <div className="builder-body">{children}</div>
    </section>
  );
}

function Stopped({ reason, onText }: { reason: ReactNode; onText: () => void }) {
  return (
    <div className="builder-stopped">
      {reason}
      <Button size="xs" variant="default" onClick={onText}>
        Edit it as SQL
      </Button>
    </div>
  );
}
