import { Modal, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import {
  IconBook2,
  IconChartBar,
  IconColumns3,
  IconDatabase,
  IconEye,
  IconFileCertificate,
  IconFiles,
  IconFolder,
  IconGitBranch,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconRoute,
  IconSearch,
  IconSitemap,
  IconSparkles,
  IconTable,
  type Icon,
} from "@tabler/icons-react";
import { useId, useState, type KeyboardEvent } from "react";

import { placesQuery, suggestQuery, type Suggestion } from "../api";
import { contractsQuery } from "../api/contracts";
import { Problem } from "../components";
import { isLakeTable, splitColumn } from "../format/names";
import { parseTableAt } from "../format/refs";
import { NAMED } from "./places";

interface Choice {
  key: string;
  icon: Icon;
  text: string;
  kind: string;
  href: string;
}

const ICONS: Record<Suggestion["type"], Icon> = {
  table: IconTable,
  view: IconEye,
  column: IconColumns3,
  dataset: IconFiles,
  pipeline: IconRoute,
  dashboard: IconLayoutDashboard,
  model: IconSparkles,
  feature: IconSparkles,
  metric: IconChartBar,
  database: IconDatabase,
  schema: IconFolder,
  term: IconBook2,
  branch: IconGitBranch,
  run: IconPlayerPlay,
};

interface Props {
  onClose: () => void;
  /** What was typed before the field was there. */
  takeTyped: () => string;
}

/** Assets, columns, terms, contracts, branches, runs and pages, by name. Arrows choose, Enter opens, Esc closes. */
export default function SearchDialog({ onClose, takeTyped }: Props) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const listId = useId();
  const { choices, nothing, query, searching } = useChoices(text);
  const current = Math.min(at, choices.length - 1);

  const open = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    void navigate({ href: choice.href });
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && choices.length > 0) {
      event.preventDefault();
      setAt((current + step + choices.length) % choices.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(choices[current]);
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      yOffset="10vh"
      size={620}
      title="Search"
      classNames={{ header: "only-readers" }}
    >
      <div className="search-field">
        <IconSearch size={20} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={current >= 0 ? `${listId}-${current}` : undefined}
          aria-label="Search assets, columns, terms, contracts, branches, runs and pages"
          placeholder="Search assets, columns, terms, contracts, runs…"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onFocus={() => {
            const typed = takeTyped();
            setText((before) => before + typed);
          }}
          onKeyDown={onKey}
        />
        <kbd className="key">Esc</kbd>
      </div>
      <div className="search-list" role="listbox" id={listId} aria-label="Found">
        {choices.map((choice, index) => (
          <SearchOption
            key={choice.key}
            id={`${listId}-${index}`}
            choice={choice}
            chosen={index === current}
            onOpen={() => open(choice)}
            onPoint={() => setAt(index)}
          />
        ))}
      </div>
      <div role="status">
        {query.error !== null && (
          <div style={{ padding: 16 }}>
            <Problem error={query.error} plain />
          </div>
        )}
        {nothing && query.error === null && (
          <Text size="sm" c="dimmed" px="md" pb="md">
            {searching ? "Searching…" : `Nothing is called “${text.trim()}”.`}
          </Text>
        )}
      </div>
    </Modal>
  );
}

interface SearchOptionProps {
  id: string;
  choice: Choice;
  chosen: boolean;
  onOpen: () => void;
  onPoint: () => void;
}

function SearchOption({ id, choice, chosen, onOpen, onPoint }: SearchOptionProps) {
  const Sign = choice.icon;
  return (
    // The keyboard is handled by the field: an option of a listbox never takes the focus.
    // eslint-disable-next-line jsx-a11y-x/click-events-have-key-events
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className="search-option"
      onClick={onOpen}
      onMouseMove={onPoint}
    >
      <Sign size={17} stroke={1.7} aria-hidden />
      <span className="name" style={{ flex: 1 }}>
        {choice.text}
      </span>
      <span className="search-kind">{choice.kind}</span>
    </div>
  );
}

/** What is outside of the lake has columns that no lineage may know; its own page lists them. */
function columnHref(router: ReturnType<typeof useRouter>, name: string, search: { at?: string }): string {
  const { table } = splitColumn(name);
  if (isLakeTable(table)) return router.buildLocation({ to: "/lineage", search: { focus: name, ...search } }).href;
  return router.buildLocation({ to: "/assets/$assetId", params: { assetId: table } }).href;
}

function useChoices(text: string) {
  const router = useRouter();
  const words = text.trim();
  const { table: prefix, at: revision } = parseTableAt(words);
  const [wanted] = useDebouncedValue(prefix, 120);
  const query = useQuery({ ...suggestQuery(wanted, 12), enabled: wanted !== "" });
  // What lineage alone knows has no page of its own; a search without it is still a search.
  const places = useQuery({ ...placesQuery(wanted, 12), enabled: wanted !== "" });
  const contracts = useInfiniteQuery({ ...contractsQuery({ q: wanted, limit: 5 }), enabled: wanted !== "" });
  const href = (suggestion: Suggestion): string => {
    const name = suggestion.qualified_name;
    const search = revision === "HEAD" ? {} : { at: revision };
    switch (suggestion.type) {
      case "term":
        return router.buildLocation({ to: "/glossary", search: { term: suggestion.id ?? name } }).href;
      case "database":
      case "schema":
        return router.buildLocation({ to: "/catalog", search: { at: name } }).href;
      case "column":
        return columnHref(router, name, search);
      case "branch":
        return router.buildLocation({ to: "/branches/$branch", params: { branch: name } }).href;
      case "run":
        return router.buildLocation({ to: "/runs/$runId", params: { runId: name } }).href;
      default:
        return router.buildLocation({ to: "/assets/$assetId", params: { assetId: name }, search }).href;
    }
  };
  const pages: Choice[] = NAMED.filter((place) => place.label.toLowerCase().startsWith(words.toLowerCase())).map((place) => ({
    key: place.to,
    icon: place.icon,
    text: place.label,
    kind: "page",
    href: place.to,
  }));
  const found: Choice[] = (words === "" ? [] : (query.data ?? [])).map((suggestion) => ({
    key: `${suggestion.type} ${suggestion.qualified_name}`,
    icon: ICONS[suggestion.type],
    text: revision === "HEAD" ? suggestion.text : `${suggestion.text}@${revision}`,
    kind: suggestion.type,
    href: href(suggestion),
  }));
  // A table that the lake has is an asset, also where only lineage found it by its letters.
  const named = new Set((query.data ?? []).map((suggestion) => suggestion.qualified_name.toLowerCase()));
  const nodes = (words === "" ? [] : (places.data?.items ?? [])).filter((node) => !named.has(node.id.toLowerCase()));
  const held: Choice[] = nodes
    .filter((node) => node.attributes["in_catalog"] === true)
    .map((node) => ({
      key: `table ${node.id}`,
      icon: ICONS[node.type === "view" ? "view" : "table"],
      text: revision === "HEAD" ? node.id : `${node.id}@${revision}`,
      kind: node.type,
      href: router.buildLocation({ to: "/assets/$assetId", params: { assetId: node.id }, search: revision === "HEAD" ? {} : { at: revision } }).href,
    }));
  const known: Choice[] = nodes
    .filter((node) => node.attributes["in_catalog"] !== true)
    .map((node) => ({
      key: `lineage ${node.id}`,
      icon: IconSitemap,
      text: node.id,
      kind: "lineage",
      href: router.buildLocation({ to: "/lineage", search: { focus: node.id } }).href,
    }));
  const promised: Choice[] = (words === "" ? [] : (contracts.data?.pages[0]?.items ?? [])).map((contract) => ({
    key: `contract ${contract.id}`,
    icon: IconFileCertificate,
    text: contract.name,
    kind: "contract",
    href: router.buildLocation({ to: "/contracts/$contractId", params: { contractId: contract.id } }).href,
  }));
  const all: Choice[] = words === "" ? [] : [{ key: "all", icon: IconSearch, text: `All that matches “${prefix}”`, kind: "search", href: router.buildLocation({ to: "/search", search: { q: prefix } }).href }];
  const byName = [...found, ...held, ...promised, ...known, ...pages];
  return { choices: [...byName, ...all], nothing: byName.length === 0, query, searching: query.isFetching || places.isFetching };
}
