import { Autocomplete, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { AssetDetail } from "../../api";
import { domainsQuery, tagsQuery } from "../../api/documentation";
import { termsQuery } from "../../api/glossary";
import { Fact } from "../../components/Fact";
import { NONE } from "../../format/numbers";
import { Markdown } from "../markdown/Markdown";
import { showUnseen } from "../markdown/parse";
import { Editable } from "./Editable";
import { LongText, LONGEST, Names, ShortText, Terms } from "./Editors";
import { WaitingHere } from "./Proposals";
import { TagLinks } from "./TagLinks";

const LEVELS = ["public", "internal", "confidential", "restricted"] as const;

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
      <WaitingHere asset={asset} />
    </section>
  );
}

/** Who answers for it, where it belongs, and how careful one must be with it. */
export function DocumentedFacts({ asset }: Props) {
  return (
    <>
      <People asset={asset} />
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
      <Fact label="Terms">
        <Editable asset={asset} path="terms" label="Terms" value={asset.terms} editor={(draft, change) => <Terms label="Terms" draft={draft} change={change} />}>
          {asset.terms.length === 0 ? NONE : <TermLinks terms={asset.terms} />}
        </Editable>
      </Fact>
      <PrimaryKey asset={asset} />
      <Fact label="Deprecated">
        <Editable asset={asset} path="deprecated" label="Deprecated" value={asset.deprecated ?? ""} editor={(draft, change) => <LongText label="Why it is deprecated, and what to use instead" draft={draft} change={change} />}>
          {asset.deprecated == null ? "no" : showUnseen(asset.deprecated)}
        </Editable>
      </Fact>
    </>
  );
}

/** Owner, team and stewards. */
function People({ asset }: Props) {
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
      <Fact label="Team">
        <Editable asset={asset} path="team" label="Team" value={asset.team ?? ""} editor={(draft, change) => <ShortText label="Team" draft={draft} change={change} />}>
          {asset.team == null ? NONE : showUnseen(asset.team)}
        </Editable>
      </Fact>
      <Fact label="Stewards">
        <Editable asset={asset} path="stewards" label="Stewards" value={asset.stewards} editor={(draft, change) => <Names label="Stewards" draft={draft} change={change} />}>
          {asset.stewards.length === 0 ? NONE : showUnseen(asset.stewards.join(", "))}
        </Editable>
      </Fact>
    </>
  );
}

/** Of which columns it is; they are offered as they are typed. */
function PrimaryKey({ asset }: Props) {
  const columns = asset.schema.map((column) => column.name);
  return (
    <Fact label="Primary key">
      <Editable asset={asset} path="primary_key" label="Primary key" value={asset.primary_key} editor={(draft, change) => <Names label="Primary key" draft={draft} change={change} offered={columns} />}>
        {asset.primary_key.length === 0 ? NONE : asset.primary_key.join(", ")}
      </Editable>
    </Fact>
  );
}

function TermLinks({ terms }: { terms: readonly string[] }) {
  const { data } = useQuery(termsQuery({}));
  return (
    <span className="fact-tags">
      {terms.map((id) => (
        <Link key={id} to="/glossary" search={{ term: id }} className="link name">
          {data?.find((term) => term.id === id)?.name ?? id}
        </Link>
      ))}
    </span>
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

function Domain({ draft, change }: { draft: string; change: (text: string) => void }) {
  const { data } = useQuery(domainsQuery());
  return (
    // eslint-disable-next-line jsx-a11y-x/no-autofocus -- who clicked the pencil wants to type
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
  return <Names label="Tags" draft={draft} change={change} offered={(data ?? []).map((one) => one.name)} />;
}
