import { Button, FileInput, Menu, Stack, Text } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import { useState } from "react";

import type { TermImportBody, TermImportView } from "../../api";
import { fetchGlossary, useImportTerms } from "../../api/glossary";
import { notify, notifyProblem } from "../../components";
import { download, fileName } from "../../components/download";
import { FormDialog } from "../../components/FormDialog";
import { plural } from "../../format/numbers";

type Format = TermImportBody["format"];

const MEDIA: Record<Format, string> = { csv: "text/csv", yaml: "application/yaml" };

/** The terms as a file that can be imported again; where the list is of one domain, its terms. */
export function ExportTerms({ domain }: { domain: string | undefined }) {
  const save = (format: Format): void => {
    fetchGlossary(format, domain).then((text) => download(fileName("glossary", domain ?? "all", format), MEDIA[format], text), notifyProblem);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save("csv")}>CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => save("yaml")}>YAML, for the project’s files</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function ImportButton({ onOpen }: { onOpen: () => void }) {
  return (
    <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={onOpen}>
      Import
    </Button>
  );
}

/** What a file would change is told before it is done. All of it is taken, or nothing. */
export function ImportTerms({ onClose }: { onClose: () => void }) {
  const look = useImportTerms();
  const take = useImportTerms();
  const [body, setBody] = useState<TermImportBody | null>(null);
  const choose = async (file: File | null): Promise<void> => {
    look.reset();
    take.reset();
    setBody(null);
    if (file === null) return;
    const wanted = { format: formatOf(file.name), text: await textOf(file), dry_run: true };
    setBody(wanted);
    look.mutate(wanted);
  };
  const submit = (): void => {
    if (body === null) return;
    take.mutate(
      { ...body, dry_run: false },
      {
        onSuccess: (done) => {
          notify("good", "The glossary is imported", inWords(done));
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title="Import terms"
      submit="Import"
      disabled={look.data === undefined || look.data.added.length + look.data.changed.length === 0}
      busy={look.isPending || take.isPending}
      error={take.error ?? look.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap="sm">
        <FileInput
          data-autofocus
          label="File"
          description="CSV with a column “name”, or YAML as the export writes it"
          placeholder="Choose a file"
          accept=".csv,.yaml,.yml"
          clearable
          clearButtonProps={{ "aria-label": "No file" }}
          onChange={(file) => void choose(file).catch(notifyProblem)}
        />
        {look.data !== undefined && (
          <Text size="sm" role="status">
            {inWords(look.data)}
          </Text>
        )}
      </Stack>
    </FormDialog>
  );
}

function textOf(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(typeof reader.result === "string" ? reader.result : "");
    reader.onerror = () => failed(new Error(`${file.name} cannot be read`));
    reader.readAsText(file);
  });
}

function formatOf(name: string): Format {
  return /\.ya?ml$/i.test(name) ? "yaml" : "csv";
}

/** "2 new terms, 1 changed, 5 as they are" */
function inWords({ added, changed, unchanged }: TermImportView): string {
  return [plural(added.length, "new term"), `${changed.length} changed`, `${unchanged.length} as they are`].join(", ");
}
