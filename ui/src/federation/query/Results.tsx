import { Button, SegmentedControl, Text } from "@mantine/core";
import { IconClipboard, IconDownload } from "@tabler/icons-react";

import type { QueryResultView } from "../../api";
import { notify } from "../../components";
import { download } from "../../components/download";
import { count, duration, plural } from "../../format/numbers";
import { cacheWords } from "./cache";
import { Chart } from "./Chart";
import { Grid } from "./Grid";
import { Plan } from "./Plan";
import type { QuerySearch } from "./search";
import { csvOf, tabbed } from "./sheet";
import type { Answer } from "./useAsk";

interface Props {
  answer: Answer;
  search: QuerySearch;
  change: (part: QuerySearch) => void;
  /** The text above is another one by now. */
  stale: boolean;
  /** Runs it without the result that was kept. */
  onAnew: () => void;
}

/** What came back: rows, their picture, and how they were computed. */
export function Results({ answer, search, change, stale, onAnew }: Props) {
  const { result, plan } = answer;
  const view = result === null ? "plan" : (search.view ?? "rows");
  return (
    <section className="panel results" aria-label="Result">
      <header className="results-head">
        {result !== null && (
          <SegmentedControl
            aria-label="What is shown"
            value={view}
            onChange={(value) => change({ view: value === "chart" || value === "plan" ? value : undefined })}
            data={[
              { value: "rows", label: "Rows" },
              { value: "chart", label: "Chart" },
              { value: "plan", label: "Plan" },
            ]}
          />
        )}
        <div className="results-said">
          {result === null ? <PlanSummary cache={plan?.cache ?? ""} /> : <ResultSummary result={result} onAnew={onAnew} />}
          {stale && <span className="quiet">of the query before your last change</span>}
        </div>
        {result !== null && view === "rows" && result.rows.length > 0 && <Takeaway result={result} />}
      </header>
      {view === "chart" && result !== null && <Chart result={result} search={search} change={change} />}
      {view === "plan" && plan !== null && <Plan plan={plan} />}
      {view === "rows" && result !== null && <Rows result={result} />}
    </section>
  );
}

function PlanSummary({ cache }: { cache: string }) {
  const words = cacheWords({ cache });
  return (
    <>
      <b>How it would be computed</b>
      {words !== null && <span className="quiet">{words}</span>}
    </>
  );
}

function ResultSummary({ result, onAnew }: { result: QueryResultView; onAnew: () => void }) {
  const read = Object.values(result.rows_read).reduce((sum, one) => sum + one, 0);
  const cache = cacheWords(result);
  return (
    <>
      <span role="status">
        <b className="numbers">{result.truncated ? `The first ${plural(result.rows.length, "row")}` : plural(result.rows.length, "row")}</b>
        {` in ${duration(result.ms / 1000)}`}
      </span>
      <span>
        {result.engine === "spark" ? "on Spark" : "in process"} <span className="quiet">({result.why})</span>
      </span>
      {cache !== null && (
        <span className="quiet">
          {cache}
          {result.cache === "hit" && (
            <>
              {" "}
              <button type="button" className="results-anew" onClick={onAnew}>
                Run anew
              </button>
            </>
          )}
        </span>
      )}
      {result.cache !== "hit" && Object.keys(result.rows_read).length > 0 && <span className="quiet numbers">{count(read)} rows read</span>}
    </>
  );
}

function Takeaway({ result }: { result: QueryResultView }) {
  const copy = (): void => {
    navigator.clipboard.writeText(tabbed(result)).then(
      () => notify("good", `${plural(result.rows.length, "row")} copied`),
      () => notify("bad", "The browser does not let this page copy"),
    );
  };
  return (
    <div className="results-take">
      <Button size="xs" variant="default" leftSection={<IconClipboard size={14} aria-hidden />} onClick={copy}>
        Copy
      </Button>
      <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />} onClick={() => download("query.csv", "text/csv", csvOf(result))}>
        CSV
      </Button>
    </div>
  );
}

function Rows({ result }: { result: QueryResultView }) {
  const hidden = result.columns.filter(({ masked }) => masked).map(({ name }) => name);
  return (
    <>
      {hidden.length > 0 && (
        <Text size="sm" className="results-note">
          {hidden.join(", ")} {hidden.length === 1 ? "is" : "are"} hidden: personal data, or a column that its source hides. Filters and joins meet NULL, too.
        </Text>
      )}
      {result.rows.length === 0 ? (
        <Text size="sm" c="dimmed" p="lg">
          The query has no rows. Its columns: {result.columns.map(({ name, type }) => `${name} ${type}`).join(", ")}.
        </Text>
      ) : (
        <Grid result={result} />
      )}
      {result.truncated && (
        <Text size="sm" c="dimmed" className="results-note">
          More rows follow: an answer has at most {count(result.rows.length)} here (server.reads.rows in forge.yaml). Ask for fewer, or take them all in the terminal: forge query.
        </Text>
      )}
    </>
  );
}
