import "../quality.css";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { IconFileText } from "@tabler/icons-react";

import type { MonitorCreate, MonitorView } from "../../api";
import { monitorQuery, useChangeMonitor } from "../../api/quality";
import { EmptyState, QueryResult, notify, PageHeader } from "../../components";
import { QualityNav } from "../Nav";
import { MonitorEditor } from "./Editor";
import { formFrom } from "./form";

const route = getRouteApi("/frame/quality/monitors/$monitorId/edit");

export default function EditMonitorPage() {
  const { monitorId } = route.useParams();
  // What is typed must not be overwritten by what is fetched again.
  const query = useQuery({ ...monitorQuery(monitorId), refetchInterval: false });
  return (
    <>
      <PageHeader title={query.data === undefined ? "Edit a monitor" : `Edit ${query.data.name}`} documentTitle="Edit a monitor" />
      <QualityNav />
      <QueryResult query={query} skeleton={<Skeleton h={480} radius={12} />}>
        {(monitor) => (monitor.file === null ? <Form monitor={monitor} /> : <OfFile monitor={monitor} file={monitor.file} />)}
      </QueryResult>
    </>
  );
}

function Form({ monitor }: { monitor: MonitorView }) {
  const change = useChangeMonitor();
  const navigate = useNavigate();
  const back = (): void => void navigate({ to: "/quality/monitors/$monitorId", params: { monitorId: monitor.id } });
  const send = (request: MonitorCreate): void =>
    change.mutate(
      { id: monitor.id, ...request },
      {
        onSuccess: (saved) => {
          notify("good", `Monitor ${saved.name} is changed`);
          back();
        },
      },
    );
  return <MonitorEditor filled={formFrom(monitor)} monitorId={monitor.id} submit="Save" busy={change.isPending} error={change.error} onSubmit={send} onCancel={back} />;
}

/** A monitor that stands in the project's files is changed there, where it is reviewed and versioned. */
function OfFile({ monitor, file }: { monitor: MonitorView; file: string }) {
  return (
    <div className="panel">
      <EmptyState
        icon={IconFileText}
        title="This monitor stands in a file"
        action={
          <Button variant="default" renderRoot={(props) => <Link to="/quality/monitors/new" search={{ copy: monitor.id }} {...props} />}>
            Make a copy that can be edited here
          </Button>
        }
      >
        Change it in <code>{file}</code>; the server reads it anew by itself.
      </EmptyState>
    </div>
  );
}
