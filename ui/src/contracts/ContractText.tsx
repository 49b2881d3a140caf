import { Button, Group, SegmentedControl, Skeleton } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

import type { ContractDetail, ViolationView } from "../api";
import { contractQuery, violationsQuery } from "../api/contracts";
import { QueryResult } from "../components";
import { download, fileName } from "../components/download";
import { lookOf } from "../components/StatusBadge";
import { FILE, worstFirst } from "./words";

interface Props {
  contract: ContractDetail;
  line: number | undefined;
  /** The registered version is wanted, though the file says something else. */
  registered: boolean;
  onRegistered: (registered: boolean) => void;
}

/** The contract as it was written, with what is wrong under the line it stands on. The file comes first: problems stand at
 * its lines. */
export function ContractText({ contract, line, registered, onRegistered }: Props) {
  const two = contract.registered && contract.file !== null && contract.file_differs;
  const query = useQuery(contractQuery(contract.id, contract.file !== null && !registered ? FILE : undefined));
  return (
    <section className="panel contract-text" aria-labelledby="text">
      <div className="contract-part contract-text-head">
        <h2 className="panel-title name" id="text">
          {query.data?.source === "file" ? contract.file : `Version ${contract.version}, as it was registered`}
        </h2>
        <Group gap="xs">
          {two && (
            <SegmentedControl
              size="xs"
              aria-label="Which text"
              value={registered ? "registered" : "file"}
              onChange={(next) => onRegistered(next === "registered")}
              data={[
                { value: "file", label: `The file now, ${contract.file_version ?? ""}` },
                { value: "registered", label: `Registered, ${contract.version}` },
              ]}
            />
          )}
          <Take contract={contract} text={query.data?.text ?? ""} />
        </Group>
      </div>
      <QueryResult query={query} skeleton={<Skeleton h={420} />}>
        {(found) => <Text contract={found} line={line} />}
      </QueryResult>
    </section>
  );
}

function Take({ contract, text }: { contract: ContractDetail; text: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <>
      <Button variant="default" size="xs" leftSection={clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />} onClick={() => clipboard.copy(text)}>
        {clipboard.copied ? "Copied" : "Copy"}
      </Button>
      <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} onClick={() => download(fileName("contract", contract.id, "odcs.yaml"), "application/yaml", text)}>
        Download
      </Button>
    </>
  );
}

/** Lines of findings are those of the file: they mean nothing in another text. */
function Text({ contract, line }: { contract: ContractDetail; line: number | undefined }) {
  const { data } = useQuery(violationsQuery(contract.id));
  const fits = contract.source === "file" || !contract.file_differs;
  const here = fits ? (data?.violations ?? []).filter((one) => contract.file === null || one.file === contract.file) : [];
  return <Lines text={contract.text} line={line} violations={here} />;
}

function Lines({ text, line, violations }: { text: string; line: number | undefined; violations: readonly ViolationView[] }) {
  const marked = useRef<HTMLLIElement>(null);
  useEffect(() => {
    marked.current?.scrollIntoView({ block: "center" });
  }, [line]);
  return (
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- long lines scroll, so the keyboard must reach them
    <div className="yaml mono" role="region" aria-label="Its text" tabIndex={0}>
      <ol>
        {text.replace(/\n$/, "").split("\n").map((one, index) => (
          <li key={index} ref={index + 1 === line ? marked : undefined} data-marked={index + 1 === line || undefined}>
            <YamlLine text={one} />
            {worstFirst(violations.filter((found) => found.line === index + 1)).map((found, at) => (
              <ViolationNote key={at} found={found} />
            ))}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The key stands out from its value, and a comment steps back. */
function YamlLine({ text }: { text: string }) {
  if (/^\s*#/.test(text)) return <code className="yaml-comment">{text}</code>;
  const [, start, key, rest] = /^(\s*(?:- )*)([\w.$-]+:)(.*)$/.exec(text) ?? [];
  if (key === undefined) return <code>{text === "" ? " " : text}</code>;
  return (
    <code>
      {start}
      <span className="yaml-key">{key}</span>
      {rest}
    </code>
  );
}

function ViolationNote({ found }: { found: ViolationView }) {
  const { tone, icon: Sign } = lookOf(found.severity);
  return (
    <span className="yaml-violation" data-tone={tone}>
      <Sign size={14} aria-hidden />
      <span className="only-readers">{found.severity}: </span>
      <span>
        {found.code} {found.message}
      </span>
    </span>
  );
}
