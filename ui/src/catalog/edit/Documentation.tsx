import { Autocomplete, NativeSelect, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { AssetColumn, AssetDetail } from "../../api";
import { domainsQuery, tagsQuery } from "../../api/documentation";
import { termsQuery, termSuggestionsQuery } from "../../api/glossary";
import { Fact } from "../../components/Fact";
import { NONE } from "../../format/numbers";
import { Markdown } from "../markdown/Markdown";
import { showUnseen } from "../markdown/parse";
import { Editable } from "./Editable";

const LEVELS = ["public", "internal", "confidential", "restricted"] as const;
const LONGEST = 200;

interface Props {
  asset: AssetDetail;
}

/** What it is, in the words of people. */
export function Description({ asset }: Props) {
  return (
    <section className="panel description" aria-label="Description">
      {asset.deprecated != null && (
        <p className="description-deprecated">
          <strong>Deprecated.</strong> {showUnseen(asset.deprecated)}
        </p>
      )}
      <Editable asset={asset} path="description" label="Description" value={asset.description} lines editor={(draft, change) => <LongText label="Description" draft={draft} change={change} />}>
        {asset.description === "" ? <span className="quiet">Nobody described it yet.</span> : <Markdown text={asset.description} />}
      </Editable>
      {asset.missing.length > 0 && (
        <Text size="sm" className="description-missing">
          Its domain asks for {asset.missing.join(", ")}; nobody has said it yet.
        </Text>
      )}
    </section>
  );
}

function LongText({ label, draft, change }: { label: string; draft: string; change: (text: string) => void }) {
  // eslint-disable-next-line jsx-a11y-x/no-autofocus -- who clicked the pencil wants to type
  return <Textarea autoFocus aria-label={label} autosize minRows={2} maxRows={18} value={draft} onChange={(event) => change(event.currentTarget.value)} />;
}

/** Who answers for it, where it belongs, and how careful one must be with it. */
export function DocumentedFacts({ asset }: Props) {
  return (
    <>
      <Fact label="Owner">
        <Editable asset={asset} path="owner" label="Owner" value={asset.owner ?? ""} editor={(draft, change) => <ShortText label="Owner" draft={draft} change={change} />}>
          {asset.owner == null ? (
            "nobody"
          ) : (
            <Link to="/search" search={{ owners: [asset.owner] }} className="link name" title={`Everything of ${asset.owner}`}>
              {showUnseen(asset.owner)}
            </Link>
          )}
        </Editable>
      </Fact>
      <Fact label="Domain">
        <Editable asset={asset} path="domain" label="Domain" value={asset.domain ?? ""} editor={(draft, change) => <Domain draft={draft} change={change} />}>
          {asset.domain == null ? (
            NONE
          ) : (
            <Link to="/search" search={{ domains: [asset.domain] }} className="link name" title={`Everything of ${asset.domain}`}>
              {showUnseen(asset.domain)}
            </Link>
          )}
        </Editable>
      </Fact>
      <Fact label="Classification">
        <Editable asset={asset} path="classification" label="Classification" value={asset.classification ?? ""} editor={(draft, change) => <Level draft={draft} change={change} />}>
          <Classification asset={asset} />
        </Editable>
      </Fact>
      <Fact label="Tags">
        <Editable asset={asset} path="tags" label="Tags" value={asset.tags} editor={(draft, change) => <Tags draft={draft} change={change} />}>
          {asset.tags.length === 0 ? NONE : <TagLinks tags={asset.tags} />}
        </Editable>
      </Fact>
      {(asset.team != null || asset.stewards.length > 0) && <Fact label="Team and stewards">{showUnseen([asset.team, ...asset.stewards].filter((one) => one != null).join(", "))}</Fact>}
    </>
  );
}

/** Why it holds is said where nobody chose it so. */
function Classification({ asset }: Props) {
  const why = asset.classification_why;
  if (asset.classification == null || why === "" || why === "set by a person") return <span title={why}>{asset.classification ?? NONE}</span>;
  return (
    <>
      {asset.classification} <span className="fact-why">{why}</span>
    </>
  );
}

function ShortText({ label, draft, change }: { label: string; draft: string; change: (text: string) => void }) {
  // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
  return <TextInput autoFocus size="xs" aria-label={label} maxLength={LONGEST} value={draft} onChange={(event) => change(event.currentTarget.value)} />;
}

function Domain({ draft, change }: { draft: string; change: (text: string) => void }) {
  const { data } = useQuery(domainsQuery());
  return (
    // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
    <Autocomplete autoFocus size="xs" aria-label="Domain" maxLength={LONGEST} data={(data ?? []).map((one) => one.name)} value={draft} onChange={change} />
  );
}

function Level({ draft, change }: { draft: string; change: (text: string) => void }) {
  return (
    <NativeSelect
      // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
      autoFocus
      size="xs"
      aria-label="Classification"
      value={draft}
      onChange={(event) => change(event.currentTarget.value)}
      data={[{ value: "", label: "not classified" }, ...LEVELS]}
    />
  );
}

function Tags({ draft, change }: { draft: string[]; change: (tags: string[]) => void }) {
  const { data } = useQuery(tagsQuery());
  return (
    <TagsInput
      // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
      autoFocus
      size="xs"
      aria-label="Tags"
      placeholder="Enter after each"
      acceptValueOnBlur
      maxTags={200}
      data={(data ?? []).map((one) => one.name)}
      value={draft}
      onChange={change}
    />
  );
}

function TagLinks({ tags }: { tags: readonly string[] }) {
  return (
    <span className="fact-tags">
      {tags.map((tag) => (
        <Link key={tag} to="/search" search={{ tags: [tag] }} className="tag" title={`Everything tagged ${tag}`}>
          {showUnseen(tag)}
        </Link>
      ))}
    </span>
  );
}

/** What a column is. */
export function ColumnText({ asset, column }: Props & { column: AssetColumn }) {
  const path = `columns.${column.name.toLowerCase()}.description`;
  const label = `Description of ${column.name}`;
  return (
    <Editable asset={asset} path={path} label={label} value={column.description} lines editor={(draft, change) => <LongText label={label} draft={draft} change={change} />}>
      {column.description === "" ? <span className="quiet">no description</span> : showUnseen(column.description)}
    </Editable>
  );
}

/** The word of the glossary that a column holds; where nobody chose one, the one that its name suggests. */
export function ColumnTerm({ asset, column }: Props & { column: AssetColumn }) {
  const { data: terms } = useQuery(termsQuery({}));
  const { data: suggested } = useQuery(termSuggestionsQuery(asset.id));
  const path = `columns.${column.name.toLowerCase()}.term`;
  const named = terms?.find((term) => term.id === column.term)?.name ?? column.term;
  const guess = suggested?.find((one) => one.column.toLowerCase() === column.name.toLowerCase());
  if (column.term == null && (terms ?? []).length === 0) return <span className="quiet">{NONE}</span>;
  return (
    <Editable
      asset={asset}
      path={path}
      label={`Term of ${column.name}`}
      value={column.term ?? guess?.term ?? ""}
      editor={(draft, change) => (
        <NativeSelect
          // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
          autoFocus
          size="xs"
          aria-label={`Term of ${column.name}`}
          value={draft}
          onChange={(event) => change(event.currentTarget.value)}
          data={[{ value: "", label: "none" }, ...(terms ?? []).map((term) => ({ value: term.id, label: term.name }))]}
        />
      )}
    >
      {column.term != null ? (
        <Link to="/glossary" search={{ term: column.term }} className="link name">
          {named}
        </Link>
      ) : guess === undefined ? (
        <span className="quiet">{NONE}</span>
      ) : (
        <span className="quiet" title={guess.reason}>
          {guess.name}?
        </span>
      )}
    </Editable>
  );
}
