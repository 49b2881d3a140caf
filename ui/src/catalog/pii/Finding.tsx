import { Button, Group, Text, TextInput } from "@mantine/core";
import { IconArrowBackUp, IconCheck, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import type { PiiFindingView } from "../../api";
import { ColumnLink, Name, RelativeTime, StatusBadge, TableLink } from "../../components";
import { scoreInWords, toneOf, typeName } from "./words";

interface Props {
  finding: PiiFindingView;
  opened: boolean;
  mayWrite: boolean;
  busy: boolean;
  onOpen: () => void;
  onDecide: (state: PiiFindingView["state"], note?: string) => void;
}

/** One column and what speaks for it. The opened one shows all of it, with the ways to decide. */
export function Finding({ finding, opened, mayWrite, busy, onOpen, onDecide }: Props) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (opened) place.current?.scrollIntoView({ block: "nearest" });
  }, [opened]);
  return (
    <li className="pii-finding" data-opened={opened || undefined} ref={place}>
      <button type="button" className="pii-head" aria-expanded={opened} onClick={onOpen}>
        <span className="pii-column name">
          <Name text={`${finding.table}.${finding.column}`} />
        </span>
        <span className="pii-type">{typeName(finding.type)}</span>
        <Score finding={finding} />
        <State finding={finding} />
      </button>
      {opened && <Detail key={finding.version} finding={finding} mayWrite={mayWrite} busy={busy} onDecide={onDecide} />}
    </li>
  );
}

function Score({ finding }: { finding: PiiFindingView }) {
  return (
    <span className="pii-score numbers" title="How sure it is">
      <span className="pii-bar" aria-hidden>
        <span data-tone={toneOf(finding.score)} style={{ width: `${100 * finding.score}%` }} />
      </span>
      {scoreInWords(finding)}
    </span>
  );
}

function State({ finding }: { finding: PiiFindingView }) {
  if (finding.closed_at !== null) return <StatusBadge word="archived" label="gone" title={finding.reason} />;
  if (finding.state === "open") return <StatusBadge word="pending" label="to decide" />;
  return finding.state === "confirmed" ? <StatusBadge word="passed" label="confirmed" /> : <StatusBadge word="rejected" />;
}

function Detail({ finding, mayWrite, busy, onDecide }: Omit<Props, "opened" | "onOpen">) {
  const [note, setNote] = useState(finding.note);
  const given = note === finding.note ? undefined : note;
  return (
    <div className="pii-detail">
      <ul className="pii-evidence" aria-label={`What speaks for it: ${finding.column}`}>
        {finding.evidence.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      {finding.origin === "lineage" && <Origin finding={finding} />}
      {finding.reason !== "" && (
        <Text size="sm" className="pii-reason">
          {finding.reason}
        </Text>
      )}
      <Text size="sm" c="dimmed" component="div">
        In <TableLink table={finding.table} />, first seen <RelativeTime time={finding.first_seen} />, last <RelativeTime time={finding.last_seen} />
        {finding.reviewed_by !== null && (
          <>
            {" · "}
            {finding.state} by {finding.reviewed_by} <RelativeTime time={finding.reviewed_at} />
          </>
        )}
      </Text>
      {mayWrite ? (
        <div className="pii-decide">
          <TextInput className="pii-note" aria-label="Note" placeholder="Why, for whoever reads it later" maxLength={1000} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
          <Group gap="xs">
            {finding.state !== "confirmed" && (
              <Button size="sm" loading={busy} leftSection={<IconCheck size={16} aria-hidden />} onClick={() => onDecide("confirmed", given)}>
                Confirm
              </Button>
            )}
            {finding.state !== "rejected" && (
              <Button size="sm" variant="default" loading={busy} leftSection={<IconX size={16} aria-hidden />} onClick={() => onDecide("rejected", given)}>
                Reject
              </Button>
            )}
            {finding.state !== "open" && (
              <Button size="sm" variant="default" loading={busy} leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => onDecide("open", given)}>
                Open again
              </Button>
            )}
          </Group>
        </div>
      ) : (
        finding.note !== "" && <Text size="sm">{finding.note}</Text>
      )}
    </div>
  );
}

/** How it got here from where it was found. */
function Origin({ finding }: { finding: PiiFindingView }) {
  const path = finding.path.length > 0 ? finding.path : finding.source === null ? [] : [finding.source];
  return (
    <Text size="sm" component="div" className="pii-path">
      By lineage:{" "}
      {path.map((column, index) => (
        <span key={column}>
          {index > 0 && " → "}
          <ColumnLink column={column} />
        </span>
      ))}
    </Text>
  );
}
