import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { IconPlayerPlay } from "@tabler/icons-react";

import type { MonitorView } from "../../api";
import { useRunMonitor } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { notifyProblem } from "../../components";
import { isUnderWay } from "../words";

/** Runs a monitor now and leads to where it is watched. */
export function RunMonitor({ monitor, small = false }: { monitor: MonitorView; small?: boolean }) {
  const mayWrite = useMayWrite();
  const run = useRunMonitor();
  const navigate = useNavigate();
  if (!mayWrite) return null;
  const start = (): void =>
    run.mutate(monitor.id, {
      onSuccess: (ticket) => void navigate({ to: "/quality/monitors/$monitorId", params: { monitorId: monitor.id }, search: { live: ticket.run_id } }),
      onError: notifyProblem,
    });
  const busy = run.isPending || isUnderWay(monitor.last_run);
  if (!small) {
    return (
      <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} loading={run.isPending} disabled={isUnderWay(monitor.last_run)} onClick={start}>
        Run now
      </Button>
    );
  }
  return (
    <Tooltip label="Run now" withArrow>
      <ActionIcon variant="default" size="md" aria-label={`Run ${monitor.name} now`} loading={busy} onClick={start}>
        <IconPlayerPlay size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
