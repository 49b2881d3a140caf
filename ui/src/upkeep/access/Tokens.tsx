import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { tokensQuery, useRevokeToken, type TokenView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, CopyCommand, DataTable, EmptyState, QueryResult, notify, RelativeTime, StatusBadge, type Column } from "../../components";
import { whoOf } from "../../format/names";
import { plural } from "../../format/numbers";
import { NewToken } from "./NewToken";

const route = getRouteApi("/frame/settings");

/** Tokens of programs. What each may, until when, and when it was last used. */
export function Tokens() {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(tokensQuery());
  const [revoking, setRevoking] = useState<TokenView | null>(null);
  const mayWrite = useMayWrite();
  const open = (wanted: "token" | undefined): void => void navigate({ search: (before) => ({ ...before, dialog: wanted }), replace: wanted === undefined });
  const create = mayWrite ? (
    <Button size="xs" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => open("token")}>
      Create a token…
    </Button>
  ) : null;
  return (
    <section className="panel" aria-labelledby="settings-tokens">
      <div className="settings-head settings-head-table">
        <div>
          <h2 className="panel-title" id="settings-tokens">
            Tokens
          </h2>
          <Text size="sm" c="dimmed">
            For programs that call Forge: a scheduler, a notebook, a script.
          </Text>
        </div>
        {create}
      </div>
      <QueryResult query={query} skeleton={<Skeleton height={170} m={20} />}>
        {(tokens) => <TokenTable tokens={tokens} onRevoke={mayWrite ? setRevoking : undefined} />}
      </QueryResult>
      {dialog === "token" && mayWrite && <NewToken onClose={() => open(undefined)} />}
      {revoking !== null && <Revoke token={revoking} onClose={() => setRevoking(null)} />}
    </section>
  );
}

/** Those that work come first; the newest first among equals, as they are sent. */
export function sortTokens(tokens: readonly TokenView[]): TokenView[] {
  return [...tokens].sort((one, other) => Number(other.state === "active") - Number(one.state === "active"));
}

function TokenTable({ tokens, onRevoke }: { tokens: readonly TokenView[]; onRevoke: ((token: TokenView) => void) | undefined }) {
  if (tokens.length === 0) {
    return (
      <EmptyState icon={IconKey} title="No token yet">
        Make one here, or in a terminal:
        <div style={{ marginTop: 8 }}>
          <CopyCommand command="forge token create nightly" />
        </div>
      </EmptyState>
    );
  }
  const columns: Column<TokenView>[] = [
    { key: "name", label: "Name", cell: (token) => <span className="name settings-name">{token.name}</span> },
    { key: "state", label: "State", cell: (token) => <StatusBadge word={token.state} /> },
    { key: "scope", label: "May", cell: (token) => scopeOf(token.scope) },
    { key: "used", label: "Last used", cell: (token) => (token.last_used_at == null ? <span className="settings-quiet">never</span> : <RelativeTime time={token.last_used_at} />) },
    { key: "expires", label: "Expires", cell: (token) => <Expires token={token} /> },
    { key: "created", label: "Made", wide: true, cell: (token) => <Made token={token} /> },
  ];
  if (onRevoke !== undefined) columns.push({ key: "revoke", label: "Action", align: "right", cell: (token) => <RevokeButton token={token} onRevoke={onRevoke} /> });
  return <DataTable caption={`${plural(tokens.length, "token")}, those that work first`} columns={columns} rows={sortTokens(tokens)} rowKey={(token) => token.id} />;
}

function scopeOf(scope: TokenView["scope"]): string {
  return scope === "write" ? "read and write" : "read";
}

function Expires({ token }: { token: TokenView }) {
  if (token.revoked_at != null) return <span className="settings-quiet">–</span>;
  return token.expires_at == null ? <>never</> : <RelativeTime time={token.expires_at} />;
}

function Made({ token }: { token: TokenView }) {
  return (
    <span className="name">
      <RelativeTime time={token.created_at} /> <span className="settings-quiet" title={token.created_by}>{`by ${whoOf(token.created_by)}`}</span>
    </span>
  );
}

function RevokeButton({ token, onRevoke }: { token: TokenView; onRevoke: (token: TokenView) => void }) {
  if (token.state !== "active") return null;
  return (
    <Button size="compact-sm" variant="default" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
      Revoke…
    </Button>
  );
}

function Revoke({ token, onClose }: { token: TokenView; onClose: () => void }) {
  const revoke = useRevokeToken();
  const confirm = (): void =>
    revoke.mutate(token.id, {
      onSuccess: () => {
        notify("good", `${token.name} is revoked`);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      opened
      title={`Revoke ${token.name}?`}
      confirm="Revoke the token"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text size="sm">Programs that use it are refused at once, and browsers that signed in with it are signed out. This cannot be undone; a new token can be made.</Text>
    </ConfirmDialog>
  );
}
