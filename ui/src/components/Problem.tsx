import { Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconClock, IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";

import { asProblem, type ApiProblem } from "../api/problem";
import { commandsIn, CopyCommand, WithCode } from "./CopyCommand";
import type { Tone } from "./StatusBadge";

interface Props {
  error: unknown;
  /** Shown as a button where trying again makes sense. */
  retry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  /** Inside a panel or dialog that has its own border. */
  plain?: boolean | undefined;
}

function Sign({ problem, tone }: { problem: ApiProblem; tone: Tone }) {
  const look = { size: 22, "aria-hidden": true, style: { color: `var(--forge-${tone})`, flex: "none" } };
  if (problem.unreachable) return <IconPlugConnectedX {...look} />;
  return problem.temporary ? <IconClock {...look} /> : <IconAlertTriangle {...look} />;
}

/** The one way an error is shown: code, what, where, why, what to type, and a way to try again. */
export function Problem({ error, retry, retrying, plain }: Props) {
  const problem = asProblem(error);
  const tone = problem.temporary || problem.unreachable ? "warn" : "bad";
  return (
    <div role="alert" className={plain ? undefined : "panel"} style={plain ? undefined : { padding: 20 }}>
      <Group align="flex-start" wrap="nowrap" gap="sm">
        <Sign problem={problem} tone={tone} />
        <Stack gap={8} style={{ minWidth: 0, flex: 1 }}>
          <Text fw={600} className="name">
            {problem.code !== "" && (
              <span className="mono" style={{ color: `var(--forge-${tone})`, marginRight: 8 }}>
                {problem.code}
              </span>
            )}
            {problem.message}
          </Text>
          {problem.where !== null && (
            <Text size="sm" c="dimmed" className="name">
              {problem.where}
            </Text>
          )}
          {problem.why !== null && (
            <Text size="sm" className="name">
              <WithCode text={problem.why} />
            </Text>
          )}
          {problem.errors.length > 1 && (
            <ul style={{ margin: 0, paddingLeft: 18, fontSize: 14 }}>
              {problem.errors.map((one, index) => (
                <li key={index}>
                  {one.what}
                  {one.where != null && <Text span c="dimmed">{` ${one.where}`}</Text>}
                </li>
              ))}
            </ul>
          )}
          {problem.fix !== null && (
            <Text size="sm" className="name">
              <Text span fw={600}>
                Fix:{" "}
              </Text>
              <WithCode text={problem.fix} />
            </Text>
          )}
          {problem.fix !== null && commandsIn(problem.fix).map((command) => <CopyCommand key={command} command={command} />)}
          {retry !== undefined && (
            <div>
              <Button
                size="xs"
                variant="default"
                loading={retrying ?? false}
                leftSection={<IconRefresh size={14} />}
                onClick={() => retry()}
              >
                Try again
              </Button>
            </div>
          )}
        </Stack>
      </Group>
    </div>
  );
}
