import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconCircleCheck, IconGitMerge, IconHourglass, IconLock } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";

import { ApiProblem, type CompareView, type MergeStart } from "../../api";
import { useMayWrite } from "../../api/scope";
import { useStartMerge, type MergeEnd } from "../../api/versioning";
import { CommitLink, Problem } from "../../components";
import { LongWork } from "../../components/LongWork";
import { plural } from "../../format/numbers";
import { useMergeEnd } from "../merge/useMergeEnd";
import { ChecksTally } from "../merge/Verdicts";

type Strategy = NonNullable<MergeStart["strategy"]>;

const STRATEGIES: readonly { value: Strategy; label: string; about: string }[] = [
  { value: "three_way", label: "three-way", about: "One commit with two parents; a fast-forward where that is possible." },
  { value: "squash", label: "squash", about: "All of it as one commit, without the branch’s own ones." },
  { value: "rebase", label: "rebase", about: "Each commit of the branch once more, on top." },
  { value: "ff", label: "fast-forward only", about: "Only where nothing has to be merged." },
];

interface Props {
  view: CompareView;
  /** The trial of the merge is still on its way. */
  previewing: boolean;
  previewError: unknown;
  checking: boolean;
  onCheck: () => void;
}

/** Whether it can be merged, what the checks say about the result, and the button that does it. */
export function MergeBox({ view, previewing, previewError, checking, onCheck }: Props) {
  const mayWrite = useMayWrite();
  const merge = useStartMerge();
  const leadOn = useMergeEnd();
  const [strategy, setStrategy] = useState<Strategy>("three_way");
  const [message, setMessage] = useState("");
  const target = view.base_branch?.name;
  const source = view.compare_branch?.name;
  const done = merge.data !== undefined && merge.data.mergeId === null ? merge.data : null;
  if (done !== null && (done.type !== "up_to_date" || view.ahead === 0)) return <Done end={done} target={target ?? view.base} source={source ?? view.compare} />;
  const start = (): void => {
    if (target === undefined || source === undefined) return;
    merge.mutate(
      { source_branch: source, target_branch: target, strategy, message: message.trim() === "" ? null : message.trim() },
      { onSuccess: (end) => leadOn(end, target) },
    );
  };
  const conflicted = view.has_conflicts === true;
  const possible = view.ahead > 0 && view.error == null && target !== undefined && source !== undefined;
  return (
    <section className="panel merge-box" aria-label="Merge" data-tone={conflicted ? "warn" : undefined}>
      <Stack gap="sm">
        <Standing view={view} previewing={previewing} />
        {view.error != null && <Problem plain error={new ApiProblem(409, view.error)} />}
        {previewError != null && <Problem plain error={previewError} />}
        {view.ahead > 0 && view.error == null && <Checks view={view} previewing={previewing} checking={checking} onCheck={onCheck} />}
        {possible && !mayWrite && (
          <Text size="sm" c="dimmed">
            Your token can read only; merging needs one that can write.
          </Text>
        )}
        {possible && mayWrite && (
          <form
            className="merge-form"
            onSubmit={(event) => {
              event.preventDefault();
              start();
            }}
          >
            <NativeSelect
              label="Strategy"
              description={STRATEGIES.find((one) => one.value === strategy)?.about}
              inputWrapperOrder={["label", "input", "description", "error"]}
              value={strategy}
              onChange={(event) => setStrategy(STRATEGIES.find((one) => one.value === event.currentTarget.value)?.value ?? "three_way")}
              data={STRATEGIES.filter((one) => one.value !== "ff" || view.can_fast_forward).map(({ value, label }) => ({ value, label }))}
            />
            <TextInput label="Message" placeholder={`Merge ${source} into ${target}`} maxLength={10_000} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
            <Button type="submit" className="merge-go" loading={merge.isPending} leftSection={<IconGitMerge size={16} aria-hidden />}>
              {conflicted ? "Merge and resolve" : "Merge"}
            </Button>
          </form>
        )}
        <LongWork runId={merge.runId} what="The merge" />
        {merge.error !== null && <Problem plain error={merge.error} />}
        {possible && view.base_branch?.is_protected === true && <Protected view={view} />}
      </Stack>
    </section>
  );
}

function Line({ tone, icon, children }: { tone: "good" | "warn" | "calm" | "bad"; icon: ReactNode; children: ReactNode }) {
  return (
    <div className="merge-line" data-tone={tone} role="status">
      {icon}
      <div className="name">{children}</div>
    </div>
  );
}

function Standing({ view, previewing }: { view: CompareView; previewing: boolean }) {
  if (view.ahead === 0) {
    return (
      <Line tone="calm" icon={<IconCircleCheck size={20} aria-hidden />}>
        <strong>{view.base} has everything that is on {view.compare}.</strong> There is nothing to merge
        {view.behind > 0 && `; ${view.compare} is ${plural(view.behind, "commit")} behind`}.
      </Line>
    );
  }
  if (view.has_conflicts === true) {
    return (
      <Line tone="warn" icon={<IconAlertTriangle size={20} aria-hidden />}>
        <strong>{plural(view.conflict_count, "conflict")}.</strong> Both {view.base} and {view.compare} changed the same rows. Merging keeps them as a list to resolve;
        nothing moves until all are.
      </Line>
    );
  }
  if (view.has_conflicts == null) {
    return (
      <Line tone="calm" icon={<IconHourglass size={20} aria-hidden />}>
        {previewing ? "Looking for conflicts: a trial of the merge runs, nothing is changed…" : "Whether there are conflicts is not known."}
      </Line>
    );
  }
  return (
    <Line tone="good" icon={<IconCircleCheck size={20} aria-hidden />}>
      <strong>No conflicts.</strong>{" "}
      {view.can_fast_forward ? `A fast-forward: ${view.base} did not change since.` : `${view.base} has ${plural(view.behind, "commit")} of its own since; both fit together.`}
      {view.other_bases.length > 0 && " The histories cross: the newest of several common ancestors is the base."}
    </Line>
  );
}

function Checks({ view, previewing, checking, onCheck }: { view: CompareView; previewing: boolean; checking: boolean; onCheck: () => void }) {
  return (
    <Group gap="xs" className="merge-checks">
      <Text size="sm" component="span">
        Checks on the merge result:
      </Text>
      {view.verdicts.length > 0 && <ChecksTally verdicts={view.verdicts} />}
      {view.verdicts.length === 0 && checking && (
        <Text size="sm" c="dimmed" component="span" role="status">
          running…
        </Text>
      )}
      {view.verdicts.length === 0 && !checking && view.has_conflicts !== true && (
        <Button size="compact-sm" variant="default" disabled={previewing} onClick={onCheck}>
          Run them now
        </Button>
      )}
      {view.has_conflicts === true && view.verdicts.length === 0 && (
        <Text size="sm" c="dimmed" component="span">
          they run once the conflicts are resolved
        </Text>
      )}
    </Group>
  );
}

function Protected({ view }: { view: CompareView }) {
  const { require_approval: approval, allowed_mergers: mergers = [] } = view.base_branch ?? {};
  return (
    <div className="merge-note">
      <IconLock size={16} aria-hidden />
      <span>
        {view.base} is protected.
        {approval === true && " Someone else has to approve the merge before it lands."}
        {mergers.length > 0 && ` Only ${mergers.join(", ")} may merge.`}
      </span>
    </div>
  );
}

function Done({ end, target, source }: { end: MergeEnd; target: string; source: string }) {
  return (
    <section className="panel merge-box" aria-label="Merge" data-tone="good">
      <Line tone="good" icon={<IconCircleCheck size={20} aria-hidden />}>
        <strong>{end.type === "up_to_date" ? "Already up to date." : end.type === "fast_forward" ? "Merged by fast-forward." : "Merged."}</strong>{" "}
        {end.commit !== null && (
          <>
            {target} is at <CommitLink commit={end.commit} /> now.
          </>
        )}
      </Line>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" renderRoot={(props) => <Link to="/branches/$branch" params={{ branch: target }} {...props} />}>
          See {target}
        </Button>
        <Button size="xs" variant="default" renderRoot={(props) => <Link to="/branches" search={{ dialog: "delete", name: source }} {...props} />}>
          Delete {source}
        </Button>
      </Group>
    </section>
  );
}
