import "./edit.css";

import { Button, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useRef, useState } from "react";

import { sessionQuery, type AssetDetail, type ProposalView } from "../../api";
import { proposalsQuery, useDecideProposal } from "../../api/documentation";
import { useMayWrite } from "../../api/scope";
import { notify, Problem, RelativeTime } from "../../components";
import { plural } from "../../format/numbers";
import { showUnseen } from "../markdown/parse";
import { afterInWords, fieldInWords, pathInWords, proposedFor, valueAt } from "./words";

interface Props {
  asset: AssetDetail;
}

/** Edits that the domain of an asset lets nobody make alone: another person approves or rejects them. */
export function Proposals({ asset }: Props) {
  const { data } = useQuery(proposalsQuery());
  const decide = useDecideProposal(asset.id);
  const title = useRef<HTMLHeadingElement>(null);
  const open = proposedFor(data ?? [], asset);
  if (open.length === 0 && decide.error === null) return null;
  const said = (proposal: ProposalView, approve: boolean, comment: string): void =>
    decide.mutate(
      { id: proposal.id, approve, comment },
      {
        onSuccess: () => notify("good", approve ? `The edit of ${proposal.by} is approved` : "The edit is rejected"),
        // What was decided leaves the list; the keyboard goes on from its head.
        onSettled: () => title.current?.focus(),
      },
    );
  return (
    <section className="panel" aria-labelledby="proposals">
      <h2 className="panel-title edits-title" id="proposals" ref={title} tabIndex={-1}>
        Waits for approval
      </h2>
      {decide.error !== null && <Problem error={decide.error} />}
      {open.length === 0 && (
        <Text size="sm" c="dimmed" px={20} pb={16}>
          Nothing waits any more.
        </Text>
      )}
      <ul className="edits">
        {open.map((proposal) => (
          <Proposal key={proposal.id} asset={asset} proposal={proposal} busy={decide.isPending} onDecide={(approve, comment) => said(proposal, approve, comment)} />
        ))}
      </ul>
    </section>
  );
}

interface ProposalProps extends Props {
  proposal: ProposalView;
  busy: boolean;
  onDecide: (approve: boolean, comment: string) => void;
}

function Proposal({ asset, proposal, busy, onDecide }: ProposalProps) {
  const mayWrite = useMayWrite();
  const { data: session } = useQuery(sessionQuery());
  const [comment, setComment] = useState("");
  const own = session?.user === proposal.by;
  const of = Object.keys(proposal.changes).map(pathInWords).join(", ");
  return (
    <li aria-label={`Edit of ${of} by ${proposal.by}`}>
      <div className="edits-head">
        <span>
          <strong className="name">{proposal.by}</strong> <RelativeTime time={proposal.at} />
          {proposal.undoes != null && <span className="quiet"> to take edit {proposal.undoes} back</span>}
        </span>
      </div>
      <Changes asset={asset} proposal={proposal} />
      {mayWrite && (
        <form
          className="edits-decide"
          aria-label={`Decide about ${of}`}
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && !own) onDecide(true, comment);
          }}
        >
          <TextInput size="xs" className="edits-comment" aria-label="Comment" placeholder="Why, for whoever reads it later" maxLength={1000} value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
          <Group gap={6}>
            {!own && (
              <Button type="submit" size="compact-sm" disabled={busy} leftSection={<IconCheck size={14} aria-hidden />}>
                Approve<span className="only-readers"> {of}</span>
              </Button>
            )}
            <Button size="compact-sm" variant="default" disabled={busy} leftSection={<IconX size={14} aria-hidden />} onClick={() => onDecide(false, comment)}>
              {own ? "Take back" : "Reject"}
              <span className="only-readers"> {of}</span>
            </Button>
          </Group>
        </form>
      )}
      {own && (
        <Text size="xs" c="dimmed">
          You proposed it: somebody else approves it.
        </Text>
      )}
    </li>
  );
}

/** What it says now, and what it would say. */
function Changes({ asset, proposal }: Props & { proposal: ProposalView }) {
  return (
    <>
      <dl className="edits-fields">
        {Object.entries(proposal.changes).map(([path, value]) => {
          const now = fieldInWords(valueAt(asset, path));
          return (
            <div key={path}>
              <dt>{pathInWords(path)}:</dt>
              <dd>
                {now !== "nothing" && <span className="edits-before">{showUnseen(now)}</span>}
                {now !== "nothing" && " → "}
                {showUnseen(afterInWords(path, value))}
              </dd>
            </div>
          );
        })}
      </dl>
      {proposal.documentation_version !== asset.documentation_version && (
        <Text size="xs" c="dimmed" role="note">
          The documentation was edited since it was proposed; on the left is what it says now.
        </Text>
      )}
    </>
  );
}

/** On top of the asset's page: that something waits, and the way to it. */
export function WaitingHere({ asset }: Props) {
  const { data } = useQuery(proposalsQuery());
  const open = proposedFor(data ?? [], asset);
  if (open.length === 0) return null;
  return (
    <Text size="sm" mt={8}>
      <Link to="/assets/$assetId" params={{ assetId: asset.id }} search={{ tab: "history" }} className="link" resetScroll={false}>
        {plural(open.length, "edit")} of it {open.length === 1 ? "waits" : "wait"} for approval
      </Link>
    </Text>
  );
}
