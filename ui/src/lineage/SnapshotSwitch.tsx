import { useQuery } from "@tanstack/react-query";

import { snapshotsQuery } from "../api";
import { RefSwitch } from "../components/RefSwitch";

/** When the graph is looked at: a revision of the data, a time, or a snapshot of lineage by its name. */
export function SnapshotSwitch({ at, onChange }: { at: string | undefined; onChange: (at: string | undefined) => void }) {
  const { data } = useQuery(snapshotsQuery());
  return <RefSwitch at={at} onChange={onChange} snapshots={data?.items} />;
}
