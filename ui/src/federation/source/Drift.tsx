import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCircleCheck, IconMinus, IconPencil, IconPlus } from "@tabler/icons-react";

import type { SourceChangeView } from "../../api";
import { sourceDriftQuery } from "../../api/federation";
import { QueryResult, RelativeTime } from "../../components";
import { plural } from "../../format/numbers";
import { changeInWords } from "./words";

const ICONS = { added: IconPlus, removed: IconMinus, retyped: IconPencil };

/** What is not as it was when the source was last tested. */
export function Drift({ source }: { source: string }) {
  const query = useQuery(sourceDriftQuery(source));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={120} radius="md" />}>
      {({ seen_at, changes }) =>
        seen_at === null ? (
          <Text size="sm">Nobody has tested it yet, so there is nothing to compare with. Test remembers its tables and columns.</Text>
        ) : changes.length === 0 ? (
          <p className="drift-none">
            <IconCircleCheck size={17} aria-hidden />
            <span>
              It is as it was when it was tested, <RelativeTime time={seen_at} />.
            </span>
          </p>
        ) : (
          <>
            <Text size="sm" role="status">
              <b>{plural(changes.length, "change")}</b> since it was tested <RelativeTime time={seen_at} />. Test takes the source as it is now.
            </Text>
            <Changes changes={changes} />
          </>
        )
      }
    </QueryResult>
  );
}

export function Changes({ changes }: { changes: readonly SourceChangeView[] }) {
  return (
    <ul className="drift-changes" aria-label="What has changed">
      {changes.map((one) => {
        const Sign = ICONS[one.change];
        return (
          <li key={`${one.table} ${one.column ?? ""} ${one.change}`} data-change={one.change}>
            <Sign size={15} aria-hidden />
            <span className="name">{changeInWords(one)}</span>
          </li>
        );
      })}
    </ul>
  );
}
