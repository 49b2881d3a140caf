import { Button, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { IconInfoCircle } from "@tabler/icons-react";
import { useEffect, useState, type SubmitEvent } from "react";

import { sessionQuery, useSignIn } from "../../api";
import { CopyCommand, Problem, useTitle } from "../../components";
import { Mark } from "../../components/Mark";

const route = getRouteApi("/login");

const REASONS = {
  invalid: "The link or token is not one of this server's. The link that `forge serve` prints works until the server is stopped.",
  expired: "Your session has expired. Sign in again to go on where you were.",
  revoked: "Your session was ended. Sign in again to go on where you were.",
  "signed-out": "You are signed out.",
  unavailable: "The server could not look up your token just now. Try again in a moment.",
} as const;

/** Only places of this app: an address may be sent by anyone. */
export function safeTarget(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])/.test(to) && !to.startsWith("/login") ? to : "/";
}

export default function LoginPage() {
  useTitle("Sign in");
  const { to, reason } = route.useSearch();
  const router = useRouter();
  const signIn = useSignIn();
  const [token, setToken] = useState("");
  // A link from another site comes without the cookie: the server saw its stale token alone, while the session is valid.
  const session = useQuery({ ...sessionQuery(), enabled: reason === "invalid" || reason === "unavailable" });
  const signedIn = session.data !== undefined;
  useEffect(() => {
    if (signedIn && (reason === "invalid" || reason === "unavailable")) router.history.replace(safeTarget(to));
  }, [signedIn, reason, to, router]);

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    // People paste the whole link as well.
    const secret = /[?&]token=([^&\s]+)/.exec(token)?.[1] ?? token.trim();
    if (secret !== "") signIn.mutate(secret, { onSuccess: () => router.history.push(safeTarget(to)) });
  };
  return (
    <main className="login">
      <div className="panel login-panel">
        <Stack gap="lg">
          <div className="login-mark">
            <Mark size={40} />
            <Title order={1} fz={24}>
              Sign in to Forge
            </Title>
          </div>
          {reason !== undefined && !signIn.isError && (
            <div className="login-reason" role="status">
              <IconInfoCircle size={18} aria-hidden />
              <Text size="sm">{REASONS[reason].replaceAll("`", "")}</Text>
            </div>
          )}
          <form onSubmit={submit}>
            <Stack gap="sm">
              <PasswordInput
                label="Token"
                description="From the link that the server printed, or one you made."
                placeholder="forge_…"
                autoComplete="off"
                spellCheck={false}
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
              />
              {signIn.isError && <Problem error={signIn.error} plain />}
              <Button type="submit" loading={signIn.isPending} disabled={token.trim() === ""}>
                Sign in
              </Button>
            </Stack>
          </form>
          <Stack gap={8}>
            <Text size="sm" c="dimmed">
              No token at hand? Where Forge runs, the server prints a link that signs you in:
            </Text>
            <CopyCommand command="forge serve" />
            <Text size="sm" c="dimmed">
              or make a token of your own:
            </Text>
            <CopyCommand command="forge token create my-browser" />
          </Stack>
        </Stack>
      </div>
    </main>
  );
}
