import { Button } from "@mantine/core";
import { IconTableShare } from "@tabler/icons-react";

import { useProposeColumns } from "../../api/federation";
import { Problem } from "../../components";
import { createOf, type Pair, type SourceFields } from "./fields";

/** Fills the columns in as the first file has them; what is proposed can be changed. */
export function ProposedColumns({ fields, propose }: { fields: SourceFields; propose: (part: { columns: Pair[]; options?: Pair[] }) => void }) {
  const look = useProposeColumns();
  const asked = createOf(fields);
  const ask = (): void =>
    look.mutate(
      { path: asked.path ?? "", format: asked.format, options: asked.options },
      {
        onSuccess: ({ columns, options }) =>
          propose({ columns: columns.map(({ name, type }) => ({ name, value: type })), options: Object.entries(options).map(([name, value]) => ({ name, value })) }),
      },
    );
  return (
    <>
      <Button size="compact-xs" variant="default" leftSection={<IconTableShare size={13} aria-hidden />} disabled={asked.path === null} loading={look.isPending} onClick={ask}>
        Look at the file
      </Button>
      {look.error !== null && <Problem error={look.error} plain />}
    </>
  );
}
