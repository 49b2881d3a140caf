import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { asProblem } from "../api";
import { Problem } from "../components";

/** Dotted names in a text, as they stand there. */
export function namesIn(text: string): string[] {
  return [...new Set(text.match(/\b[a-z_]\w*(?:\.\w+)+\b/gi) ?? [])].slice(0, 8);
}

interface Props {
  error: unknown;
  retry: () => void;
  busy: boolean;
  page: "/lineage" | "/impact";
}

/** Nothing is called so: the names that the problem proposes can be clicked. */
export function NearestNames({ error, retry, busy, page }: Props) {
  const problem = asProblem(error);
  const known = problem.status === 404 || problem.status === 422;
  const names = known ? namesIn(`${problem.why ?? ""} ${problem.fix ?? ""}`) : [];
  return (
    <>
      <Problem error={error} retry={known ? undefined : retry} retrying={busy} />
      {names.length > 0 && (
        <Group gap="xs" mt="md" aria-label="Nearest names" role="group">
          {names.map((name) => (
            <Button key={name} variant="default" size="xs" renderRoot={(props) => <Link to={page} search={(before) => ({ ...before, focus: name })} {...props} />}>
              {name}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}
