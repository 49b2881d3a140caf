import { Link } from "@tanstack/react-router";

import type { components } from "../../api/schema";
import { BranchLink, CommitLink, RunLink } from "../../components";

type JudgedByView = components["schemas"]["JudgedByView"];

/** Who judged, and what: the same words and the same ways on the page of a result and on that of its incident. */
export function VerdictOrigin({ by }: { by: JudgedByView }) {
  return (
    <>
      <Who by={by} /> on <BranchLink branch={by.branch} /> ·{" "}
      {by.commit === null ? (
        "not published"
      ) : (
        <>
          commit <CommitLink commit={by.commit} />
        </>
      )}
    </>
  );
}

function Who({ by }: { by: JudgedByView }) {
  if (by.origin === "monitor" && by.monitor_id !== null) {
    return (
      <>
        monitor{" "}
        <Link
          to="/quality/monitors/$monitorId"
          params={{ monitorId: by.monitor_id }}
          search={by.monitor_run_id === null ? {} : { run: by.monitor_run_id }}
          className="link"
        >
          {by.monitor_name ?? by.monitor_id}
        </Link>
      </>
    );
  }
  if (by.origin === "run" && by.run_id !== null) {
    return (
      <>
        run <RunLink runId={by.run_id} />
      </>
    );
  }
  return <>by hand</>;
}
