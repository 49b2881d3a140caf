import "../quality.css";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import type { MonitorCreate } from "../../api";
import { monitorQuery, useCreateMonitor } from "../../api/quality";
import { QueryResult, notify, PageHeader } from "../../components";
import { QualityNav } from "../Nav";
import { MonitorEditor } from "./Editor";
import { formFrom, NEW_MONITOR, type MonitorForm } from "./form";

const route = getRouteApi("/frame/quality/monitors/new");

/** Makes a monitor; `copy` fills the form with another. */
export default function NewMonitorPage() {
  const { dataset, copy } = route.useSearch();
  const query = useQuery({ ...monitorQuery(copy ?? ""), enabled: copy !== undefined });
  return (
    <>
      <PageHeader title="New monitor" about="Checks of one dataset that run by themselves, with alerts and a service level." />
      <QualityNav />
      {copy === undefined ? (
        <Form filled={{ ...NEW_MONITOR, dataset: dataset ?? "", name: dataset === undefined ? "" : `${dataset} is well` }} />
      ) : (
        <QueryResult query={query} skeleton={<Skeleton h={480} radius={12} />}>
          {(monitor) => <Form filled={{ ...formFrom(monitor), name: `${monitor.name} (copy)` }} />}
        </QueryResult>
      )}
    </>
  );
}

function Form({ filled }: { filled: MonitorForm }) {
  const create = useCreateMonitor();
  const navigate = useNavigate();
  const send = (request: MonitorCreate): void =>
    create.mutate(request, {
      onSuccess: (made) => {
        if (!("id" in made)) return;
        notify("good", `Monitor ${made.name} is there`, "Run it now, or wait for its schedule.");
        void navigate({ to: "/quality/monitors/$monitorId", params: { monitorId: made.id } });
      },
    });
  return <MonitorEditor filled={filled} submit="Create the monitor" busy={create.isPending} error={create.error} onSubmit={send} onCancel={() => void navigate({ to: "/quality/monitors" })} />;
}
