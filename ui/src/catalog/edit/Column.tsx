/** What people say of one column, changed where it stands. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { AssetColumn, AssetDetail } from "../../api";
import { tagsQuery } from "../../api/documentation";
import { termsQuery, termSuggestionsQuery } from "../../api/glossary";
import { NONE } from "../../format/numbers";
import { showUnseen } from "../markdown/parse";
import { Editable } from "./Editable";
import { LongText, Names, OneTerm } from "./Editors";
import { TagLinks } from "./TagLinks";

interface Props {
  asset: AssetDetail;
  column: AssetColumn;
}

function pathOf(column: AssetColumn, field: "description" | "tags" | "term"): string {
  return `columns.${column.name.toLowerCase()}.${field}`;
}

/** What a column is. */
export function ColumnText({ asset, column }: Props) {
  const label = `Description of ${column.name}`;
  return (
    <Editable asset={asset} path={pathOf(column, "description")} label={label} value={column.description} lines editor={(draft, change) => <LongText label={label} draft={draft} change={change} />}>
      {column.description === "" ? <span className="quiet">no description</span> : showUnseen(column.description)}
    </Editable>
  );
}

export function ColumnTags({ asset, column }: Props) {
  const { data } = useQuery(tagsQuery());
  const label = `Tags of ${column.name}`;
  return (
    <Editable
      asset={asset}
      path={pathOf(column, "tags")}
      label={label}
      value={column.tags}
      editor={(draft, change) => <Names label={label} draft={draft} change={change} offered={(data ?? []).map((one) => one.name)} />}
    >
      {column.tags.length === 0 ? <span className="quiet">no tags</span> : <TagLinks tags={column.tags} />}
    </Editable>
  );
}

/** The word of the glossary that a column holds; where nobody chose one, the one that its name suggests. */
export function ColumnTerm({ asset, column }: Props) {
  const { data: terms } = useQuery(termsQuery({}));
  const { data: suggested } = useQuery(termSuggestionsQuery(asset.id));
  const named = terms?.find((term) => term.id === column.term)?.name ?? column.term;
  const guess = suggested?.find((one) => one.column.toLowerCase() === column.name.toLowerCase());
  if (column.term == null && (terms ?? []).length === 0) return null;
  const label = `Term of ${column.name}`;
  return (
    <Editable asset={asset} path={pathOf(column, "term")} label={label} value={column.term ?? guess?.term ?? ""} editor={(draft, change) => <OneTerm label={label} draft={draft} change={change} />}>
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
