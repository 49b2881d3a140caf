import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCircleCheck, IconPlugConnected } from "@tabler/icons-react";

import type { VirtualTableDetail } from "../../api";
import { useMayWrite } from "../../api/scope";
import { useTestVirtualTable, virtualDriftQuery } from "../../api/virtualTables";
import { Problem, QueryResult, RelativeTime } from "../../components";
import { plural } from "../../format/numbers";
import { Changes } from "../source/Drift";

/** Whether its sources have what it reads, and what of them is not as it was. */
export function Sources({ table }: { table: VirtualTableDetail }) {
  const mayWrite = useMayWrite();
  const test = useTestVirtualTable();
  const query = useQuery({ ...virtualDriftQuery(table.name), enabled: table.may_read });
  if (!table.may_read) {
    return (
      <Text size="sm" className="panel" p="md">
        Its sources are compared by who may read all of them.
      </Text>
    );
  }
  return (
    <Stack gap="md" className="panel virtual-sources">
      {mayWrite && (
        <div className="virtual-test">
          <Button leftSection={<IconPlugConnected size={16} aria-hidden />} loading={test.isPending} onClick={() => test.mutate(table.name)}>
            Test it
          </Button>
          <Text size="sm" c="dimmed">
            Asks its sources whether they have what it reads, and takes them as they are now.
          </Text>
        </div>
      )}
      {test.error !== null && <Problem error={test.error} plain />}
      {test.data !== undefined && (
        <p className="drift-none" role="status">
          <IconCircleCheck size={17} aria-hidden />
          <span>It fits its sources. {test.data.changes.length === 0 ? "Nothing has changed since they were looked at." : `${plural(test.data.changes.length, "change")} since they were looked at; from now on they are taken as they are.`}</span>
        </p>
      )}
      <QueryResult query={query} skeleton={<Skeleton h={90} radius="md" />}>
        {({ seen_at, changes }) =>
          seen_at === null ? (
            <Text size="sm">Its sources are looked at now for the first time: there is nothing to compare with.</Text>
          ) : changes.length === 0 ? (
            test.data === undefined && (
              <p className="drift-none">
                <IconCircleCheck size={17} aria-hidden />
                <span>
                  The columns that it reads are as they were <RelativeTime time={seen_at} />.
                </span>
              </p>
            )
          ) : (
            <>
              <Text size="sm" role="status">
                <b>{plural(changes.length, "change")}</b> of what it reads since <RelativeTime time={seen_at} />.
              </Text>
              <Changes changes={changes} />
            </>
          )
        }
      </QueryResult>
    </Stack>
  );
}
