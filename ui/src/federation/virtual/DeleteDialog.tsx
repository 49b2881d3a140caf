import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import type { VirtualTableDetail } from "../../api";
import { useDropVirtualTable, virtualTablesQuery } from "../../api/virtualTables";
import { ConfirmDialog, notify } from "../../components";
import { readBy } from "./words";

export function DeleteDialog({ table, onClose }: { table: VirtualTableDetail; onClose: () => void }) {
  const navigate = useNavigate();
  const drop = useDropVirtualTable();
  const users = readBy(useQuery(virtualTablesQuery()).data?.items ?? [], "virtual", table.name);
  return (
    <ConfirmDialog
      opened
      danger
      title={`Delete virtual.${table.name}?`}
      confirm={users.length === 0 ? "Delete it" : "Delete it all the same"}
      keep="Keep it"
      busy={drop.isPending}
      error={drop.error}
      onConfirm={() =>
        drop.mutate(table, {
          onSuccess: () => {
            notify("good", `${table.name} is deleted`);
            void navigate({ to: "/virtual-tables" });
          },
        })
      }
      onClose={onClose}
    >
      {users.length > 0 && (
        <p className="virtual-used">
          <b className="name">{users.join(", ")}</b> {users.length === 1 ? "reads" : "read"} it: queries of {users.length === 1 ? "it" : "them"} fail from then on.
        </p>
      )}
      Queries cannot name it any more. What its sources hold is not touched.
    </ConfirmDialog>
  );
}
