import { Button, Group, Progress, Stack, Text, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconBan, IconCheck, IconCircleCheck, IconGitMerge, IconHandStop, IconHourglass, IconX } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";

import { asProblem, type ConflictSet } from "../../api";
import { useMayWrite } from "../../api/scope";
import { useAbortMerge, useApproveMerge, useContinueMerge, useRejectMerge } from "../../api/versioning";
import { BranchLink, CommitLink, ConfirmDialog, notify, Problem, RelativeTime } from "../../components";
import { LongWork } from "../../components/LongWork";
import { plural } from "../../format/numbers";
import { useMergeEnd } from "./useMergeEnd";
import { ChecksTally, Verdicts } from "./Verdicts";
import { showRange } from "./words";

/** The server's word for “not by who asked for it”. */
const NOT_ALLOWED = "FORGE-E620";

interface Props {
  merge: ConflictSet;
  dialog: "abort" | "reject" | undefined;
  onDialog: (dialog: "abort" | "reject" | undefined) => void;
}

/** How far it is, and what can be done now. */
export function Decision({ merge, dialog, onDialog }: Props) {
  const mayWrite = useMayWrite();
  if (merge.status === "merged") return <Merged merge={merge} />;
  if (merge.status === "aborted" || merge.status === "rejected") return <GivenUp merge={merge} />;
  return (
    <section className="panel merge-box" aria-label="What is next" data-tone={merge.status === "blocked" ? "bad" : "warn"}>
      <Stack gap="sm">
        {merge.status === "blocked" && <HeldBack merge={merge} />}
        {merge.total_count > 0 && <Resolved merge={merge} />}
        {merge.verdicts.length > 0 && merge.status !== "blocked" && (
          <Group gap="xs">
            <Text size="sm">Checks on the merge result:</Text>
            <ChecksTally verdicts={merge.verdicts} />
          </Group>
        )}
        {merge.status === "pending" ? (
          <Approve merge={merge} mayWrite={mayWrite} onReject={() => onDialog("reject")} onAbort={() => onDialog("abort")} />
        ) : (
          mayWrite && <GoOn merge={merge} onAbort={() => onDialog("abort")} />
        )}
      </Stack>
      {dialog === "abort" && <Abort merge={merge} onClose={() => onDialog(undefined)} />}
      {dialog === "reject" && <Reject merge={merge} onClose={() => onDialog(undefined)} />}
    </section>
  );
}

function Resolved({ merge }: { merge: ConflictSet }) {
  return (
    <div>
      <Text size="sm" fw={600} role="status" className="numbers">
        {merge.resolved_count} of {plural(merge.total_count, "conflict")} resolved
      </Text>
      <Progress
        mt={6}
        aria-label="Resolved conflicts"
        value={(100 * merge.resolved_count) / Math.max(1, merge.total_count)}
        color={merge.fully_resolved ? "var(--forge-good)" : "var(--forge-warn)"}
      />
    </div>
  );
}

function HeldBack({ merge }: { merge: ConflictSet }) {
  return (
    <div>
      <div className="merge-line" data-tone="bad">
        <IconHandStop size={20} aria-hidden />
        <div className="name">
          <strong>Held back by its checks.</strong> Nothing moved. Mend it on <BranchLink branch={merge.source_branch} />, then try again.
        </div>
      </div>
      <Verdicts verdicts={merge.verdicts.filter((one) => one.outcome !== "passed")} withTable />
    </div>
  );
}

function GoOn({ merge, onAbort }: { merge: ConflictSet; onAbort: () => void }) {
  const go = useContinueMerge(merge.merge_id);
  const leadOn = useMergeEnd();
  const open = merge.total_count - merge.resolved_count;
  return (
    <>
      <Group gap="xs">
        <Button
          leftSection={<IconGitMerge size={16} aria-hidden />}
          loading={go.isPending}
          disabled={!merge.fully_resolved}
          onClick={() => go.mutate(undefined, { onSuccess: (end) => leadOn(end, merge.target_branch) })}
        >
          {merge.status === "blocked" ? "Try again" : "Merge"}
        </Button>
        <AbortButton onAbort={onAbort} />
        {open > 0 && (
          <Text size="sm" c="dimmed">
            {plural(open, "conflict is", "conflicts are")} open.
          </Text>
        )}
      </Group>
      <LongWork runId={go.runId} what="The merge" />
      {go.error !== null && <Problem plain error={go.error} />}
    </>
  );
}

function AbortButton({ onAbort }: { onAbort: () => void }) {
  return (
    <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} onClick={onAbort}>
      Abort
    </Button>
  );
}

interface ApproveProps {
  merge: ConflictSet;
  mayWrite: boolean;
  onReject: () => void;
  onAbort: () => void;
}

function Approve({ merge, mayWrite, onReject, onAbort }: ApproveProps) {
  const approve = useApproveMerge(merge.merge_id);
  const leadOn = useMergeEnd();
  const [comment, setComment] = useState("");
  const refused = approve.error !== null && asProblem(approve.error).code === NOT_ALLOWED;
  return (
    <Stack gap="sm">
      <div className="merge-line" data-tone="warn">
        <IconHourglass size={20} aria-hidden />
        <div className="name">
          <strong>Waits for approval.</strong> <BranchLink branch={merge.target_branch} /> is protected: someone else than {merge.author.name} has to approve it.
        </div>
      </div>
      {mayWrite && (
        <>
          <Textarea label="Comment" description="May be left out" rows={2} maxLength={10_000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
          <Group gap="xs">
            <Button
              leftSection={<IconCheck size={16} aria-hidden />}
              loading={approve.isPending}
              onClick={() => approve.mutate({ comment: comment.trim(), expected: merge.source_head }, { onSuccess: (end) => leadOn(end, merge.target_branch) })}
            >
              Approve and merge
            </Button>
            <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={onReject}>
              Reject
            </Button>
            <AbortButton onAbort={onAbort} />
          </Group>
        </>
      )}
      <LongWork runId={approve.runId} what="The merge" />
      {approve.error !== null && <Problem plain error={approve.error} />}
      {refused && (
        <Text size="sm" c="dimmed">
          Send the address of this page to whoever may approve it.
        </Text>
      )}
    </Stack>
  );
}

function Reject({ merge, onClose }: { merge: ConflictSet; onClose: () => void }) {
  const reject = useRejectMerge(merge.merge_id);
  const [comment, setComment] = useState("");
  return (
    <ConfirmDialog
      opened
      danger
      title="Reject the merge?"
      confirm="Reject the merge"
      keep="Keep it waiting"
      busy={reject.isPending}
      error={reject.error}
      onClose={onClose}
      onConfirm={() =>
        reject.mutate(comment.trim(), {
          onSuccess: () => {
            notify("calm", "The merge is rejected");
            onClose();
          },
        })
      }
    >
      <Textarea data-autofocus label="Why" description="Whoever asked for it reads this" rows={3} maxLength={10_000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
    </ConfirmDialog>
  );
}

function Abort({ merge, onClose }: { merge: ConflictSet; onClose: () => void }) {
  const abort = useAbortMerge(merge.merge_id);
  return (
    <ConfirmDialog
      opened
      danger
      title="Abort the merge?"
      confirm="Abort the merge"
      keep="Keep it open"
      busy={abort.isPending}
      error={abort.error}
      onClose={onClose}
      onConfirm={() =>
        abort.mutate(undefined, {
          onSuccess: () => {
            notify("calm", "The merge is aborted", "Both branches are where they were.");
            onClose();
          },
        })
      }
    >
      <Text size="sm">
        Both branches stay where they are.
        {merge.resolved_count > 0 && ` The ${plural(merge.resolved_count, "answer")} given so far ${merge.resolved_count === 1 ? "is" : "are"} lost.`}
      </Text>
    </ConfirmDialog>
  );
}

function Ended({ tone, icon, children }: { tone: "good" | "calm"; icon: ReactNode; children: ReactNode }) {
  return (
    <section className="panel merge-box" aria-label="How it ended" data-tone={tone}>
      <div className="merge-line" data-tone={tone} role="status">
        {icon}
        <div className="name">{children}</div>
      </div>
    </section>
  );
}

function Merged({ merge }: { merge: ConflictSet }) {
  return (
    <Ended tone="good" icon={<IconCircleCheck size={20} aria-hidden />}>
      <strong>Merged</strong> <RelativeTime time={merge.updated_at} /> into <BranchLink branch={merge.target_branch} />
      {merge.commit != null && (
        <>
          {" as "}
          <CommitLink commit={merge.commit} />
        </>
      )}
      .{merge.total_count > 0 && ` ${plural(merge.total_count, "conflict")} resolved.`}
    </Ended>
  );
}

function GivenUp({ merge }: { merge: ConflictSet }) {
  return (
    <Ended tone="calm" icon={<IconBan size={20} aria-hidden />}>
      <strong>{merge.status === "aborted" ? "Aborted" : "Rejected"}</strong> <RelativeTime time={merge.updated_at} />. Both branches stayed where they were.{" "}
      {merge.kind === "merge" && (
        <Link to="/compare/$range" params={{ range: showRange({ base: merge.target_branch, compare: merge.source_branch }) }} className="link">
          Compare them again
        </Link>
      )}
    </Ended>
  );
}
