/** The fields to type in. Each takes the focus: who clicked the pencil wants to type. */
import { MultiSelect, NativeSelect, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { termsQuery } from "../../api/glossary";

export const LONGEST = 200;
const MOST = 200;

interface Props<T> {
  label: string;
  draft: T;
  change: (draft: T) => void;
}

export function LongText({ label, draft, change }: Props<string>) {
  // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
  return <Textarea autoFocus aria-label={label} autosize minRows={2} maxRows={18} value={draft} onChange={(event) => change(event.currentTarget.value)} />;
}

export function ShortText({ label, draft, change }: Props<string>) {
  // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
  return <TextInput autoFocus size="xs" aria-label={label} maxLength={LONGEST} value={draft} onChange={(event) => change(event.currentTarget.value)} />;
}

/** Names in their order; those that there are already are offered. */
export function Names({ label, draft, change, offered = [] }: Props<string[]> & { offered?: string[] }) {
  return (
    <TagsInput
      // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
      autoFocus
      size="xs"
      aria-label={label}
      placeholder="Enter after each"
      acceptValueOnBlur
      maxTags={MOST}
      data={offered}
      value={draft}
      onChange={change}
    />
  );
}

/** Words of the glossary, by their ids; one that was deleted meanwhile stays until it is taken away. */
export function Terms({ label, draft, change }: Props<string[]>) {
  const { data } = useQuery(termsQuery({}));
  const known = (data ?? []).map((term) => ({ value: term.id, label: term.domain === "" ? term.name : `${term.name}, ${term.domain}` }));
  const gone = draft.filter((id) => !known.some((one) => one.value === id)).map((id) => ({ value: id, label: id }));
  return (
    <MultiSelect
      // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
      autoFocus
      searchable
      hidePickedOptions
      withScrollArea={false}
      size="xs"
      aria-label={label}
      nothingFoundMessage="No term of that name"
      data={[...known, ...gone]}
      value={draft}
      onChange={change}
    />
  );
}

export function OneTerm({ label, draft, change }: Props<string>) {
  const { data } = useQuery(termsQuery({}));
  return (
    <NativeSelect
      // eslint-disable-next-line jsx-a11y-x/no-autofocus -- as above
      autoFocus
      size="xs"
      aria-label={label}
      value={draft}
      onChange={(event) => change(event.currentTarget.value)}
      data={[{ value: "", label: "none" }, ...(data ?? []).map((term) => ({ value: term.id, label: term.name }))]}
    />
  );
}
