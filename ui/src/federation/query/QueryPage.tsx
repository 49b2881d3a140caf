import "./query.css";

import { Button, Kbd, NativeSelect, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { IconBookmark, IconDeviceFloppy, IconHistory, IconPlayerPlay, IconPlayerStop, IconTablePlus, IconTerminal2, IconZoomCode } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

import { asProblem, sessionQuery, systemQuery, type SavedQueryView } from "../../api";
import { savedQueriesQuery } from "../../api/savedQueries";
import { useMayWrite } from "../../api/scope";
import { EmptyState, PageHeader, Problem, RefSwitch } from "../../components";
import { duration } from "../../format/numbers";
import { FederationNav } from "../Nav";
import { forget, remember, remembered, type Asked } from "./past";
import { History } from "./History";
import { KeepQuery } from "./KeepQuery";
import { MakeTable } from "./MakeTable";
import { offersAt } from "./names";
import { bound, faultOf, given as givenOf, parametersOf, written, type Parameter } from "./bind";
import { Parameters } from "./Parameters";
import { placeOf } from "./steps";
import { Results } from "./Results";
import { SaveTransform } from "./SaveTransform";
import { SavedQueries } from "./SavedQueries";
import { ENGINES, type QuerySearch } from "./search";
import { useAsk, type Answer, type Order } from "./useAsk";

const Editor = lazy(() => import("./Editor"));
const Builder = lazy(() => import("../builder/Builder"));
const route = getRouteApi("/frame/query");
/** Longer addresses are cut off by what stands between browser and server. */
const LONGEST = 6000;
const PAUSE_MS = 400;
const USUAL_ROWS = 1000;

/** What was there when the page was left. */
interface Kept {
  sql: string;
  p: string[];
  answer: Answer | null;
}
const KEPT = ["federation", "page"];

/** One SQL over the lake and its sources. */
export default function QueryPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const kept = queries.getQueryData<Kept>(KEPT);
  const user = useQuery(sessionQuery()).data?.user ?? "";
  const rows = useQuery(systemQuery()).data?.reads.rows ?? USUAL_ROWS;
  const [sql, setSql] = useState(search.sql ?? kept?.sql ?? "");
  const [given, setGiven] = useState<readonly string[]>(search.p ?? kept?.p ?? []);
  const [answer, setAnswer] = useState<Answer | null>(kept !== undefined && (search.sql === undefined || search.sql === kept.sql) ? kept.answer : null);
  const [past, setPast] = useState<readonly Asked[] | null>(null);
  const [dialog, setDialog] = useState<"keep" | "table" | null>(null);
  const mayWrite = useMayWrite();
  const saved = useQuery({ ...savedQueriesQuery(), enabled: search.saved !== undefined }).data?.find(({ id }) => id === search.saved);
  const { asked, runId, cancel, cancelled } = useAsk();

  const change = (part: QuerySearch): void => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  };
  const addressLater = useDebouncedCallback((text: string, p: readonly string[]) => change({ sql: text.length > LONGEST ? undefined : text, p: [...p] }), PAUSE_MS);
  const parameters = parametersOf(sql, given);
  const typed = (text: string): void => {
    setSql(text);
    addressLater(text, given);
  };
  const putParameters = (changed: readonly Parameter[]): void => {
    const p = changed.map(written);
    setGiven(p);
    addressLater(sql, p);
  };
  useEffect(() => {
    queries.setQueryData<Kept>(KEPT, { sql, p: [...given], answer });
  }, [queries, sql, given, answer]);

  const ready = sql.trim() !== "" && parameters.every((one) => faultOf(one) === null);
  const start = (what: Order["what"], { cache = true, text = sql } = {}): void => {
    const values = parametersOf(text, given);
    if (text.trim() === "" || values.some((one) => faultOf(one) !== null) || asked.isPending) return;
    const p = values.map(written);
    const body = { sql: text, parameters: bound(values), at: search.at ?? null, engine: search.engine ?? ("auto" as const), limit: rows, explain: true, cache, form: "rows" as const };
    const note = (found: Partial<Asked>): void => {
      const one: Asked = { sql: text, at: search.at, parameters: p, time: new Date().toISOString(), rows: null, ms: null, engine: null, code: null, ...found };
      // Who asks may not be known yet right after the page was opened.
      queries.query(sessionQuery()).then(
        (session) => setPast(remember(session.user, one)),
        () => undefined,
      );
    };
    asked.mutate(
      { what, body },
      {
        onSuccess: (found) => {
          setAnswer(found);
          if (what === "plan") change({ view: "plan" });
          else if (search.view === "plan") change({ view: undefined });
          if (found.result !== null) note({ rows: found.result.rows.length, ms: found.result.ms, engine: found.result.engine });
        },
        onError: (error) => {
          setAnswer(null);
          if (what === "rows" && !(error instanceof DOMException)) note({ code: asProblem(error).code });
        },
      },
    );
  };
  // A change of the builder that is not written yet comes first.
  const writing = useRef<Promise<string> | null>(null);
  const wait = (text: Promise<string>): void => {
    const over = (): void => {
      if (writing.current === text) writing.current = null;
    };
    writing.current = text;
    text.then(over, over);
  };
  const run = (what: Order["what"]): void => {
    if (writing.current === null) start(what);
    else writing.current.then((text) => start(what, { text }), () => undefined);
  };
  const takeBack = (one: Asked): void => {
    setSql(one.sql);
    setGiven(one.parameters);
    // What was kept, or is a virtual table, is not this one any more: saving must not write over it.
    change({ panel: undefined, at: one.at, sql: one.sql.length > LONGEST ? undefined : one.sql, p: one.parameters, saved: undefined, into: undefined });
  };
  const takeSaved = (one: SavedQueryView): void => {
    const p = givenOf(one.parameters);
    setSql(one.sql);
    setGiven(p);
    change({ panel: undefined, at: one.at ?? undefined, sql: one.sql.length > LONGEST ? undefined : one.sql, p, saved: one.id, into: undefined });
  };
  const forgetAll = (): void => {
    forget(user);
    setPast([]);
  };
  const fault = asked.error === null || cancelled ? null : placeOf(asProblem(asked.error).where);
  return (
    <>
      <PageHeader
        title="Query"
        about="One SQL over the lake and the sources. Each does what it can where the data is."
        actions={
          <>
            <Button variant="default" leftSection={<IconHistory size={16} aria-hidden />} onClick={() => change({ panel: search.panel === "history" ? undefined : "history" })} aria-expanded={search.panel === "history"}>
              History
            </Button>
            <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />} onClick={() => change({ panel: search.panel === "saved" ? undefined : "saved" })} aria-expanded={search.panel === "saved"}>
              Saved
            </Button>
            <RefSwitch at={search.at} onChange={(at) => change({ at })} />
          </>
        }
      />
      <FederationNav />
      <Stack gap="md">
        {search.panel === "history" && <History past={past ?? remembered(user)} onTake={takeBack} onForget={forgetAll} onClose={() => change({ panel: undefined })} />}
        {search.panel === "saved" && <SavedQueries here={search.saved} onTake={takeSaved} onClose={() => change({ panel: undefined })} />}
        <section className="panel query-panel" aria-label="The query">
          <Suspense fallback={<Skeleton h={148} radius={0} />}>
            {search.by === "builder" ? (
              <Builder sql={sql} at={search.at} onTyped={typed} onWriting={wait} onRun={() => run("rows")} onText={() => change({ by: undefined })} />
            ) : (
              <Editor value={sql} fault={fault} onTyped={typed} onRun={() => start("rows")} onExplain={() => start("plan")} offersAt={(text, position) => offersAt(queries, text, position, search.at)} />
            )}
          </Suspense>
          <Parameters parameters={parameters} change={putParameters} onRun={() => run("rows")} />
          <div className="query-bar">
            {asked.isPending ? (
              <Button color="red.9" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={cancel}>
                Cancel
              </Button>
            ) : (
              <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} disabled={!ready} onClick={() => run("rows")}>
                Run
              </Button>
            )}
            <Button variant="default" leftSection={<IconZoomCode size={16} aria-hidden />} disabled={!ready || asked.isPending} onClick={() => run("plan")}>
              Explain
            </Button>
            <NativeSelect
              aria-label="Engine"
              value={search.engine ?? "auto"}
              onChange={(event) => change({ engine: ENGINES.find((word) => word === event.currentTarget.value) })}
              data={[
                { value: "auto", label: "Engine: by size" },
                { value: "in-process", label: "Engine: in process" },
                { value: "spark", label: "Engine: Spark" },
              ]}
            />
            <SegmentedControl
              aria-label="How the query is written"
              value={search.by ?? "sql"}
              onChange={(value) => change({ by: value === "builder" ? value : undefined })}
              data={[
                { value: "sql", label: "SQL" },
                { value: "builder", label: "Builder" },
              ]}
            />
            <SaveTransform sql={sql} />
            {mayWrite && (
              <>
                <Button variant="default" leftSection={<IconDeviceFloppy size={16} aria-hidden />} disabled={sql.trim() === ""} onClick={() => setDialog("keep")}>
                  Save
                </Button>
                <Button variant="default" leftSection={<IconTablePlus size={16} aria-hidden />} disabled={sql.trim() === ""} onClick={() => setDialog("table")}>
                  {search.into === undefined ? "Save as virtual table" : `Change virtual.${search.into}`}
                </Button>
              </>
            )}
            {saved !== undefined && (
              <span className="query-into name">
                {saved.name}
                {saved.sql !== sql && ", changed"}
              </span>
            )}
            <span className="query-keys" aria-hidden>
              <Kbd size="xs">{ON_MAC ? "⌘" : "Ctrl"}</Kbd> <Kbd size="xs">↵</Kbd> runs
            </span>
          </div>
        </section>
        {asked.isPending ? (
          <Waiting runId={runId} began={asked.submittedAt} />
        ) : cancelled ? (
          <div className="panel" role="status">
            <Text size="sm" p="md">
              The query was cancelled.
            </Text>
          </div>
        ) : asked.error !== null ? (
          <Problem error={asked.error} />
        ) : answer !== null ? (
          <Results answer={answer} search={search} change={change} stale={answer.order.body.sql !== sql} onAnew={() => start("rows", { cache: false })} />
        ) : search.by === "builder" ? null : (
          <Nothing onTake={typed} />
        )}
      </Stack>
      {dialog === "keep" && (
        <KeepQuery
          asked={{ sql, parameters: bound(parameters.filter((one) => faultOf(one) === null)), at: search.at ?? null }}
          saved={saved?.is_own === true ? saved : undefined}
          onClose={() => setDialog(null)}
          onKept={(kept) => {
            setDialog(null);
            change({ saved: kept.id });
          }}
        />
      )}
      {dialog === "table" && (
        <MakeTable
          sql={sql}
          types={typesOf(answer, sql)}
          into={search.into}
          onClose={() => setDialog(null)}
          onMade={(name) => {
            setDialog(null);
            void navigate({ to: "/virtual-tables/$tableId", params: { tableId: name } });
          }}
        />
      )}
    </>
  );
}

/** Of the columns of the result, where it is that of this text. */
function typesOf(answer: Answer | null, sql: string): Record<string, string> {
  if (answer?.result == null || answer.order.body.sql !== sql) return {};
  return Object.fromEntries(answer.result.columns.map(({ name, type }) => [name, type]));
}

const ON_MAC = typeof navigator !== "undefined" && /mac/i.test(navigator.userAgent);

/** How long it takes so far; each second, so that one sees that something goes on. */
function Waiting({ runId, began }: { runId: string | null; began: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(clock);
  }, []);
  const seconds = Math.max(0, (now - began) / 1000);
  return (
    <div className="panel query-waiting" aria-busy="true">
      <Text size="sm" role="status">
        {runId === null ? "The query runs." : "It takes longer than a request should: it goes on as a run, and its rows come here."}
      </Text>
      <Text size="sm" c="dimmed" className="numbers" aria-hidden>
        {duration(Math.round(seconds * 2) / 2)}
      </Text>
      <Skeleton h={180} radius="sm" />
    </div>
  );
}

const TRY = "SELECT * FROM ";

function Nothing({ onTake }: { onTake: (sql: string) => void }) {
  return (
    <div className="panel">
      <EmptyState
        icon={IconTerminal2}
        title="Nothing was asked yet"
        action={
          <Button variant="default" onClick={() => onTake(TRY)}>
            Begin with SELECT
          </Button>
        }
      >
        Write a SELECT over tables of the lake, as core.orders, and of sources, as crm.customers. Names are completed as you type; a value stands for itself as :name.
      </EmptyState>
    </div>
  );
}
