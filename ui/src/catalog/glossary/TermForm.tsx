import { Autocomplete, NativeSelect, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import { asProblem, type TermView } from "../../api";
import { useCreateTerm, useChangeTerm } from "../../api/glossary";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { bodyOf, EMPTY, fieldsOf, type TermFields } from "./words";

interface Props {
  /** None: a new one. */
  term: TermView | undefined;
  terms: readonly TermView[];
  domain: string | undefined;
  onClose: () => void;
  onSaved: (term: TermView) => void;
}

/** A term's fields, new or changed. What was typed stays when somebody else was faster. */
export function TermForm({ term, terms, domain, onClose, onSaved }: Props) {
  const [fields, setFields] = useState<TermFields>(term === undefined ? { ...EMPTY, domain: domain ?? "" } : fieldsOf(term));
  const [seen, setSeen] = useState(term?.version);
  const create = useCreateTerm();
  const save = useChangeTerm();
  const error = create.error ?? save.error;
  const stale = error !== null && asProblem(error).status === 409 && term !== undefined;
  const put = (part: Partial<TermFields>): void => setFields((before) => ({ ...before, ...part }));
  const done = (made: TermView): void => {
    notify("good", `“${made.name}” is saved`);
    onSaved(made);
  };
  const submit = (): void => {
    if (term === undefined) create.mutate(bodyOf(fields), { onSuccess: done });
    // The newest version is known by now: to send again is to say that one's own words hold.
    else save.mutate({ id: term.id, expected_version: stale ? term.version : (seen ?? term.version), ...bodyOf(fields) }, { onSuccess: done, onError: () => setSeen(term.version) });
  };
  return (
    <FormDialog
      title={term === undefined ? "New term" : `Edit “${term.name}”`}
      submit={term === undefined ? "Add the term" : stale ? "Save mine over it" : "Save"}
      disabled={fields.name.trim() === ""}
      busy={create.isPending || save.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      {stale && <Theirs term={term} />}
      <Stack gap="sm">
        <TextInput data-autofocus required label="Name" maxLength={200} value={fields.name} onChange={(event) => put({ name: event.currentTarget.value })} />
        <Textarea label="Definition" description="Markdown" autosize minRows={3} maxRows={12} value={fields.definition} onChange={(event) => put({ definition: event.currentTarget.value })} />
        <Autocomplete
          label="Domain"
          maxLength={200}
          data={[...new Set(terms.map((one) => one.domain).filter((one) => one !== ""))]}
          value={fields.domain}
          onChange={(value) => put({ domain: value })}
        />
        <TagsInput label="Synonyms" description="Enter after each" clearable clearButtonProps={{ "aria-label": "No synonyms" }} value={fields.synonyms} onChange={(synonyms) => put({ synonyms })} />
        <TagsInput
          label="Related terms"
          data={terms.filter((one) => one.id !== term?.id).map((one) => one.id)}
          clearable
          clearButtonProps={{ "aria-label": "No related terms" }}
          value={fields.related}
          onChange={(related) => put({ related })}
        />
        <Textarea label="Examples" description="One per line" autosize minRows={1} maxRows={6} value={fields.examples} onChange={(event) => put({ examples: event.currentTarget.value })} />
        <TextInput label="Owner" maxLength={200} value={fields.owner} onChange={(event) => put({ owner: event.currentTarget.value })} />
        <NativeSelect
          label="State"
          value={fields.state}
          onChange={(event) => put({ state: event.currentTarget.value === "approved" ? "approved" : "draft" })}
          data={[
            { value: "draft", label: "Draft" },
            { value: "approved", label: "Approved" },
          ]}
        />
      </Stack>
    </FormDialog>
  );
}

/** Who was faster, and with what; one's own words stay in the form. */
function Theirs({ term }: { term: TermView }) {
  return (
    <div className="theirs" role="status">
      <Text size="sm" fw={600}>
        {term.updated_by === "" ? "Somebody" : term.updated_by} changed it meanwhile
      </Text>
      <Text size="sm" component="div">
        Now it says: {term.definition === "" ? "nothing" : term.definition.slice(0, 300)}
      </Text>
      <Text size="sm" c="dimmed">
        What you typed is kept below.
      </Text>
    </div>
  );
}
