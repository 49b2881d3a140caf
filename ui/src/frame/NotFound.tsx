import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconMapPinOff } from "@tabler/icons-react";

import { EmptyState, PageHeader } from "../components";

export function NotFound() {
  return (
    <>
      <PageHeader title="No such page" />
      <div className="panel">
        <EmptyState
          icon={IconMapPinOff}
          title="Nothing has this address"
          action={
            <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
              Go home
            </Button>
          }
        >
          It may have been mistyped. Press <kbd className="key">/</kbd> to search for a table, a branch or a run.
        </EmptyState>
      </div>
    </>
  );
}
