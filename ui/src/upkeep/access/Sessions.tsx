import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconDeviceDesktop } from "@tabler/icons-react";
import { useState } from "react";

import { sessionsQuery, useEndSession, type BrowserSessionView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, DataTable, EmptyState, QueryResult, notify, RelativeTime, type Column } from "../../components";
import { whoOf } from "../../format/names";
import { plural } from "../../format/numbers";

/** Browsers that are signed in, and the token that each belongs to. */
export function Sessions() {
  const query = useQuery(sessionsQuery());
  const [ending, setEnding] = useState<BrowserSessionView | null>(null);
  const mayWrite = useMayWrite();
  return (
    <section className="panel" aria-labelledby="settings-sessions">
      <div className="settings-head settings-head-table">
        <div>
          <h2 className="panel-title" id="settings-sessions">
            Browsers signed in
          </h2>
          <Text size="sm" c="dimmed">
            Each belongs to the token it signed in with, and ends with it.
          </Text>
        </div>
      </div>
      <QueryResult query={query} skeleton={<Skeleton height={110} m={20} />}>
        {(sessions) => <SessionTable sessions={sessions} onEnd={mayWrite ? setEnding : undefined} />}
      </QueryResult>
      {ending !== null && <End session={ending} onClose={() => setEnding(null)} />}
    </section>
  );
}

function SessionTable({ sessions, onEnd }: { sessions: readonly BrowserSessionView[]; onEnd: ((session: BrowserSessionView) => void) | undefined }) {
  if (sessions.length === 0) {
    return (
      <EmptyState icon={IconDeviceDesktop} title="No browser is signed in">
        You are here by a token of your own.
      </EmptyState>
    );
  }
  const columns: Column<BrowserSessionView>[] = [
    { key: "token", label: "Signed in with", cell: (session) => <Origin session={session} /> },
    { key: "user", label: "As", cell: (session) => <span title={session.user}>{whoOf(session.user)}</span> },
    { key: "scope", label: "May", cell: (session) => (session.scope === "write" ? "read and write" : "read") },
    { key: "used", label: "Last used", cell: (session) => (session.last_used_at == null ? <span className="settings-quiet">never</span> : <RelativeTime time={session.last_used_at} />) },
    { key: "created", label: "Since", wide: true, cell: (session) => <RelativeTime time={session.created_at} /> },
    { key: "expires", label: "Expires", cell: (session) => (session.expires_at == null ? <>never</> : <RelativeTime time={session.expires_at} />) },
  ];
  if (onEnd !== undefined) columns.push({ key: "end", label: "Action", align: "right", cell: (session) => <EndButton session={session} onEnd={onEnd} /> });
  return <DataTable caption={`${plural(sessions.length, "session")}, the newest first`} columns={columns} rows={[...sessions]} rowKey={(session) => session.id} />;
}

function Origin({ session }: { session: BrowserSessionView }) {
  return (
    <span className="name">
      {session.token_name == null ? "the printed address" : <span className="settings-name">{session.token_name}</span>}
      {session.current && <span className="settings-quiet"> · this browser</span>}
    </span>
  );
}

function EndButton({ session, onEnd }: { session: BrowserSessionView; onEnd: (session: BrowserSessionView) => void }) {
  if (session.current) return null; // “Sign out” does that
  return (
    <Button size="compact-sm" variant="default" aria-label={`End session ${session.id}`} onClick={() => onEnd(session)}>
      End…
    </Button>
  );
}

function End({ session, onClose }: { session: BrowserSessionView; onClose: () => void }) {
  const end = useEndSession();
  const confirm = (): void =>
    end.mutate(session.id, {
      onSuccess: () => {
        notify("good", "The session has ended");
        onClose();
      },
    });
  return (
    <ConfirmDialog opened title="End this session?" confirm="End the session" danger busy={end.isPending} error={end.error} onConfirm={confirm} onClose={onClose}>
      <Text size="sm">
        Its browser is signed out at once. {session.token_name == null ? "The address that the server printed" : `The token ${session.token_name}`} stays and can sign in again.
      </Text>
    </ConfirmDialog>
  );
}
