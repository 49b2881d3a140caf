import { Button, type ButtonProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconRefresh } from "@tabler/icons-react";

import { sessionQuery, useStartRun, type RunView } from "../api";
import { useMayWrite } from "../api/scope";
import { notifyProblem } from "../components";
import { dialogFor } from "../format/run";

interface Props {
  run: RunView;
  size?: ButtonProps["size"];
  variant?: ButtonProps["variant"];
}

/** The same run again: on a branch at once, on the default one after a look at what it will do. Not there for who may only
 * read, or where it cannot be known. */
export function RunAgain({ run, size = "sm", variant = "default" }: Props) {
  const navigate = useNavigate();
  const start = useStartRun();
  const mayWrite = useMayWrite();
  const main = useQuery(sessionQuery()).data?.default_branch;
  const { request } = run;
  if (!run.can_rerun || request == null || !mayWrite) return null;
  const again = (): void => {
    if (run.branch === main) return void navigate({ to: "/runs", search: dialogFor({ ...request, branch: run.branch }) });
    start.mutate(request, {
      onSuccess: ({ run_id: runId }) => void navigate({ to: "/runs/$runId", params: { runId } }),
      onError: notifyProblem,
    });
  };
  return (
    <Button size={size} variant={variant} loading={start.isPending} leftSection={<IconRefresh size={15} aria-hidden />} aria-label={`Run again: ${run.run_id}`} onClick={again}>
      Run again
    </Button>
  );
}
