import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconArrowBackUp } from "@tabler/icons-react";

import type { AssetDetail, EditView } from "../../api";
import { editsQuery, useUndoEdit } from "../../api/documentation";
import { useMayWrite } from "../../api/scope";
import { notify, Problem, QueryResult, RelativeTime } from "../../components";
import { showUnseen } from "../markdown/parse";
import { afterInWords, fieldInWords, pathInWords } from "./words";

/** Who changed what was written about it; each change can be taken back. */
export function Edits({ asset }: { asset: AssetDetail }) {
  const query = useQuery(editsQuery(asset.id));
  const undo = useUndoEdit(asset.id);
  const mayWrite = useMayWrite();
  const takeBack = (edit: EditView): void =>
    undo.mutate(edit.documentation_version, {
      onSuccess: ({ proposal }) => notify(proposal == null ? "good" : "busy", proposal == null ? "The edit is taken back" : "It waits for approval"),
    });
  return (
    <section className="panel" aria-labelledby="edits">
      <h2 className="panel-title edits-title" id="edits">
        Edits of the documentation
      </h2>
      {undo.error !== null && <Problem error={undo.error} />}
      <QueryResult query={query} skeleton={<Skeleton h={120} m="md" />}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed" px={20} pb={16}>
              Nobody edited it here; what it says comes from its source or from files of the project.
            </Text>
          ) : (
            <ul className="edits">
              {items.map((edit) => (
                <li key={edit.documentation_version}>
                  <div className="edits-head">
                    <span>
                      <strong className="name">{edit.by}</strong> <RelativeTime time={edit.at} />
                      {edit.undoes != null && <span className="quiet"> took edit {edit.undoes} back</span>}
                      {edit.approved_by != null && <span className="quiet"> approved by {edit.approved_by}</span>}
                    </span>
                    {mayWrite && (
                      <Button variant="subtle" size="compact-xs" leftSection={<IconArrowBackUp size={14} aria-hidden />} loading={undo.isPending && undo.variables === edit.documentation_version} onClick={() => takeBack(edit)}>
                        Undo<span className="only-readers"> edit {edit.documentation_version}</span>
                      </Button>
                    )}
                  </div>
                  <Fields edit={edit} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  );
}

function Fields({ edit }: { edit: EditView }) {
  return (
    <dl className="edits-fields">
      {Object.keys(edit.after).map((path) => (
        <div key={path}>
          <dt>{pathInWords(path)}:</dt>
          <dd>
            {edit.before[path] != null && <span className="edits-before">{showUnseen(fieldInWords(edit.before[path]))}</span>}
            {edit.before[path] != null && " → "}
            {showUnseen(afterInWords(path, edit.after[path]))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
