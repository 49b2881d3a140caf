import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconGitCompare, IconPlayerPlay, IconTool } from "@tabler/icons-react";

import { assetQuery, client, runQuery, unwrap, type BranchView, type CommitView, type IncidentView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { ColumnLink, CopyCommand, TableLink } from "../../components";
import { splitColumn } from "../../format/names";
import { dialogFor, runCommand, type Again } from "../../format/run";
import { inShell } from "../../format/shell";
import { showRange } from "../merge/words";
import { exampleTable, nextSteps, runFrom } from "./nextSteps";

interface Props {
  branch: BranchView;
  commits: readonly CommitView[];
}

/** The commands for this branch. */
export function NextCommands({ branch, commits }: Props) {
  const steps = nextSteps(branch.name, branch.is_default, exampleTable(commits));
  return (
    <section className="panel" style={{ padding: 20 }} aria-labelledby="next">
      <h2 className="panel-title" id="next" style={{ marginBottom: 12 }}>
        Next, in the terminal
      </h2>
      <ul className="next">
        {steps.map((step) => (
          <li key={step.command}>
            <p>{step.text}</p>
            <CopyCommand command={step.command} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The way from “fix on a branch” to data that is right again, step by step. */
export function FixSteps({ branch, table, main }: { branch: BranchView; table: string; main: string }) {
  const incident = useIncident(table, main);
  const origin = useOrigin(incident);
  const request = useRequest(incident, runFrom(table, incident, (name) => name === origin));
  const here = { ...request, branch: branch.name };
  return (
    <section className="panel" style={{ padding: 20, borderColor: "var(--forge-busy-line)" }} aria-labelledby="fix">
      <h2 className="panel-title" id="fix" style={{ display: "flex", gap: 8, marginBottom: 12 }}>
        <IconTool size={18} stroke={1.7} aria-hidden />
        How to fix {table} here
      </h2>
      <ol className="next steps">
        <li>
          <p>
            Mend the cause: the source or the transform.
            {incident !== undefined && ` The check saw: ${incident.message}.`}
          </p>
          {incident?.origin != null && (
            <p>
              It came in at <ColumnLink column={incident.origin} />.
            </p>
          )}
        </li>
        <li>
          <p>Run from there on, on this branch only. It is checked like on {main}.</p>
          <CopyCommand command={runCommand(here)} />
          <RunHere request={here} />
          <p>
            An append source does not load a changed file again (E215): set <code>kind: full</code> in its source for one run.
          </p>
        </li>
        <li>
          <p>
            Look at <TableLink table={table} at={branch.name} />: its rows, and what the checks say.
          </p>
        </li>
        <li>
          <p>Compare it with {main}, and merge when it is right: readers of {main} get the mended data in one step.</p>
          <CopyCommand command={`forge merge ${inShell(branch.name)} ${inShell(main)}`} />
          <Button
            size="xs"
            variant="default"
            mt={8}
            leftSection={<IconGitCompare size={15} aria-hidden />}
            renderRoot={(props) => <Link to="/compare/$range" params={{ range: showRange({ base: main, compare: branch.name }) }} {...props} />}
          >
            Compare and merge
          </Button>
        </li>
      </ol>
    </section>
  );
}

function RunHere({ request }: { request: Again }) {
  const mayWrite = useMayWrite();
  if (!mayWrite) return null;
  return (
    <Button
      size="xs"
      variant="default"
      mt={8}
      leftSection={<IconPlayerPlay size={15} aria-hidden />}
      renderRoot={(props) => <Link to="/runs" search={dialogFor(request)} {...props} />}
    >
      Run it on this branch
    </Button>
  );
}

/** What the run that was blocked was asked for, from the table on where the fix begins. */
function useRequest(incident: IncidentView | undefined, from: string): Again {
  const { data } = useQuery({ ...runQuery(incident?.run_id ?? ""), enabled: incident !== undefined });
  const { start, end, params } = data?.request ?? { params: data?.params ?? {} };
  return { selection: [`${from}+`], params, start: start ?? null, end: end ?? null };
}

function useIncident(table: string, main: string): IncidentView | undefined {
  const { data } = useQuery({
    queryKey: ["overview", "incidents", main],
    queryFn: ({ signal }) => unwrap(client.GET("/api/v1/quality/incidents", { params: { query: { branch: main } }, signal })),
  });
  return data?.items.find((incident) => incident.table === table);
}

/** The table of an origin, where it is one of this project: an origin may also be a file. */
function useOrigin(incident: IncidentView | undefined): string | undefined {
  const origin = incident?.origin ?? "";
  const name = incident?.column == null ? origin : splitColumn(origin).table;
  const { data } = useQuery({ ...assetQuery(name), enabled: name !== "" });
  return data?.qualified_name;
}
