import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconFileCode, IconPencil, IconTrash } from "@tabler/icons-react";

import type { TermDetail, TermLinkView, TermView } from "../../api";
import { termHistoryQuery, termQuery } from "../../api/glossary";
import { useMayWrite } from "../../api/scope";
import { ColumnLink, QueryResult, RelativeTime, StatusBadge, TableLink } from "../../components";
import { Fact } from "../../components/Fact";
import { plural } from "../../format/numbers";
import { Markdown } from "../markdown/Markdown";
import type { GlossarySearch } from "./search";
import { NO_DOMAIN } from "./words";

interface Props {
  id: string;
  terms: readonly TermView[];
  change: (part: GlossarySearch) => void;
}

/** One term: what it means, what it is also called, and which columns and tables hold it. */
export function Term({ id, terms, change }: Props) {
  const query = useQuery(termQuery(id));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={420} radius="md" />}>
      {(term) => (
        <article className="panel term" aria-labelledby="term-name">
          <Head term={term} change={change} />
          <Markdown text={term.definition === "" ? "*Nobody wrote down what it means.*" : term.definition} />
          <dl className="facts term-facts">
            <Fact label="Domain">{term.domain === "" ? NO_DOMAIN : term.domain}</Fact>
            <Fact label="Owner">{term.owner ?? "nobody"}</Fact>
            {term.synonyms.length > 0 && <Fact label="Also called">{term.synonyms.join(", ")}</Fact>}
            <Fact label="Changed">
              <RelativeTime time={term.updated_at} />
              {term.updated_by !== "" && ` by ${term.updated_by}`}
            </Fact>
          </dl>
          {term.related.length > 0 && (
            <Text size="sm" component="div">
              See also:{" "}
              {term.related.map((other, index) => (
                <span key={other}>
                  {index > 0 && ", "}
                  <Link from="/glossary" to="/glossary" search={(before) => ({ ...before, term: other })} className="link name" resetScroll={false}>
                    {terms.find((one) => one.id === other)?.name ?? other}
                  </Link>
                </span>
              ))}
            </Text>
          )}
          {term.examples.length > 0 && (
            <div>
              <h3 className="term-title">Examples</h3>
              <ul className="term-list">
                {term.examples.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </div>
          )}
          <Links links={term.links} />
          <Past id={id} />
        </article>
      )}
    </QueryResult>
  );
}

function Head({ term, change }: { term: TermDetail; change: Props["change"] }) {
  const mayWrite = useMayWrite();
  return (
    <div className="term-head">
      <div>
        <Group gap={10}>
          <h2 id="term-name" className="term-name name">
            {term.name}
          </h2>
          <StatusBadge word={term.state === "approved" ? "passed" : "draft"} label={term.state} />
        </Group>
        <Text size="xs" c="dimmed" className="mono">
          {term.id}
        </Text>
      </div>
      {term.file != null ? (
        <Text size="sm" c="dimmed" component="div">
          <IconFileCode size={15} aria-hidden className="term-file" /> It lives in {term.file}: change it there.
        </Text>
      ) : (
        mayWrite && (
          <Group gap="xs">
            <Button size="xs" variant="default" leftSection={<IconPencil size={15} aria-hidden />} onClick={() => change({ dialog: "edit" })}>
              Edit
            </Button>
            <Button size="xs" variant="default" leftSection={<IconTrash size={15} aria-hidden />} onClick={() => change({ dialog: "delete" })}>
              Delete…
            </Button>
          </Group>
        )
      )}
    </div>
  );
}

function Links({ links }: { links: readonly TermLinkView[] }) {
  return (
    <div>
      <h3 className="term-title">Where it is</h3>
      {links.length === 0 ? (
        <Text size="sm" c="dimmed">
          No column and no table is linked to it. Choose it on the page of a table, at the column that holds it.
        </Text>
      ) : (
        <ul className="term-list" aria-label={plural(links.length, "link")}>
          {links.map((link) => (
            <li key={`${link.asset} ${link.column ?? ""}`}>{link.column === null ? <TableLink table={link.asset} /> : <ColumnLink column={`${link.asset}.${link.column}`} />}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Past({ id }: { id: string }) {
  const { data } = useQuery(termHistoryQuery(id));
  const revisions = data ?? [];
  if (revisions.length === 0) return null;
  return (
    <details>
      <summary className="term-title">History, {plural(revisions.length, "change")}</summary>
      <Stack gap={4} mt={6}>
        {revisions.map((one) => (
          <Text key={one.version} size="sm" component="div">
            <RelativeTime time={one.at} /> {one.by}: {one.before === null ? "made it" : one.after === null ? "deleted it" : `changed ${one.changed.join(", ")}`}
          </Text>
        ))}
      </Stack>
    </details>
  );
}
