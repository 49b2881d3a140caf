import { NativeSelect, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconAlertTriangle, IconArrowRight, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import type { ComparisonView, ContractChangeView, ContractDetail, ContractVersionView } from "../api";
import { comparisonQuery } from "../api/contracts";
import { ColumnLink, QueryResult } from "../components";
import { plural } from "../format/numbers";
import { BumpBadge } from "./BumpBadge";
import { Findings } from "./Findings";
import type { Chosen } from "./Versions";
import { BUMP_MEANS, bumpInWords, BUMPS, depthInWords, FILE, valueInWords } from "./words";

interface Props {
  contract: ContractDetail;
  versions: readonly ContractVersionView[];
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** Two versions side by side: what changed, the bump it needs, and who is hit. */
export function Changes({ contract, versions, chosen, onChoose }: Props) {
  const file = contract.file !== null && contract.file_differs ? [{ value: FILE, label: `${contract.file_version ?? contract.version}, the file now` }] : [];
  const choices = [...file, ...versions.map(({ version }) => ({ value: version, label: version }))];
  const next = choices.some(({ value }) => value === chosen.new) ? chosen.new : choices[0]?.value;
  const after = choices.findIndex(({ value }) => value === next);
  const old = versions.some(({ version }) => version === chosen.old) ? chosen.old : choices[after + 1]?.value;
  return (
    <section className="panel contract-changes" aria-labelledby="changes">
      <div className="contract-part contract-changes-head">
        <h2 className="panel-title" id="changes">
          What changed
        </h2>
        <div className="contract-pair">
          <NativeSelect aria-label="From version" value={old ?? ""} onChange={(event) => onChoose({ old: event.currentTarget.value, new: next })} data={versions.map(({ version }) => version)} size="xs" />
          <IconArrowRight size={15} aria-label="to" />
          <NativeSelect aria-label="To version" value={next ?? ""} onChange={(event) => onChoose({ old, new: event.currentTarget.value })} data={choices} size="xs" />
        </div>
      </div>
      {old === undefined || next === undefined ? (
        <p className="quality-quiet contract-part">{versions.length === 1 ? "There is only one version; the next is compared with it." : "There is no version before it."}</p>
      ) : (
        <Compared key={contract.id} contract={contract} old={old} next={next} />
      )}
    </section>
  );
}

function Compared({ contract, old, next }: { contract: ContractDetail; old: string; next: string }) {
  const query = useQuery(comparisonQuery(contract.id, old, next));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={200} m="md" radius="md" />}>
      {(found) => (
        <div aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined} className="contract-compared">
          <Judged found={found} />
          {BUMPS.map((bump) => (
            <ChangeGroup key={bump} bump={bump} changes={found.changes.filter((one) => one.bump === bump)} />
          ))}
          <Hit found={found} />
          {found.violations.length > 0 && <Findings label="What the gate says" violations={found.violations} contract={contract} />}
        </div>
      )}
    </QueryResult>
  );
}

const SIGNS = { good: IconCircleCheck, warn: IconAlertTriangle, bad: IconAlertTriangle, calm: IconInfoCircle, busy: IconInfoCircle };

/** The one sentence that counts: which version it needs, and whether it got it. */
function Judged({ found }: { found: ComparisonView }) {
  const { tone, title, text } = bumpInWords(found);
  const Sign = SIGNS[tone];
  return (
    <div className="contract-verdict" data-tone={tone} role="status">
      <Sign size={20} aria-hidden />
      <div className="name">
        <strong>{title}</strong>
        <p>{text}</p>
      </div>
    </div>
  );
}

function ChangeGroup({ bump, changes }: { bump: ComparisonView["required_bump"]; changes: readonly ContractChangeView[] }) {
  if (changes.length === 0) return null;
  return (
    <div className="bump-group">
      <h3 className="bump-head">
        <BumpBadge bump={bump} />
        {BUMP_MEANS[bump]}
        <span className="quality-quiet numbers">{changes.length}</span>
      </h3>
      <ul className="bump-list" aria-label={BUMP_MEANS[bump]}>
        {changes.map((one, index) => (
          <li key={index}>
            <span className="bump-subject mono name">{one.subject}</span>
            <span className="bump-text name">
              {one.message.startsWith(`${one.subject}: `) ? one.message.slice(one.subject.length + 2) : one.message}
              <Values change={one} />
            </span>
            {one.line > 0 && one.file !== "" && <span className="finding-place mono name">{`${one.file}:${one.line}`}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Before and after, where the message does not say them already. */
function Values({ change }: { change: ContractChangeView }) {
  const [before, after] = [valueInWords(change.old), valueInWords(change.new)];
  const said = [before, after].filter((one) => one !== "");
  if (said.every((one) => change.message.includes(one))) return null;
  return (
    <span className="bump-values mono">
      {before !== "" && <del>{before}</del>}
      {said.length === 2 && <IconArrowRight size={13} aria-label="to" />}
      {after !== "" && <ins>{after}</ins>}
    </span>
  );
}

/** Who reads what breaks. */
function Hit({ found }: { found: ComparisonView }) {
  if (found.required_bump !== "major") return null;
  return (
    <div className="bump-group">
      <h3 className="bump-head">{found.consumers.length === 0 ? "Nobody is known to read what breaks" : `${plural(found.consumers.length, "reader")} hit`}</h3>
      {found.consumers.length > 0 && (
        <ul className="bump-list" aria-label="Readers that are hit">
          {found.consumers.map((one) => (
            <li key={one.table}>
              <span className="bump-subject name">
                <ColumnLink column={one.table} />
              </span>
              <span className="bump-text name">
                reads it {depthInWords(one.depth)}
                <span className="bump-why">{one.breaks.length > 0 ? one.breaks.join("; ") : one.columns.join(", ")}</span>
              </span>
              <span className="finding-place name">{one.owner ?? "nobody owns it"}</span>
            </li>
          ))}
        </ul>
      )}
      {found.consumers.length === 0 && (
        <p className="quality-quiet contract-part">
          Lineage knows of no table that uses it. <Link to="/lineage/sources" className="link">See which code was read</Link>
        </p>
      )}
    </div>
  );
}
