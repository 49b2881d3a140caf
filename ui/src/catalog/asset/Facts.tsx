import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { AssetDetail } from "../../api";
import { contractOfTableQuery } from "../../api/contracts";
import { CommitLink, RelativeTime, RunLink, TableLink } from "../../components";
import { Fact } from "../../components/Fact";
import { bytes, count, NONE, percent, plural } from "../../format/numbers";
import { DocumentedFacts } from "../edit/Documentation";
import { checksInWords } from "../list/words";
import { showUnseen } from "../markdown/parse";
import { useHeldBack } from "./attempt";

/** What one wants to know of a table before anything else. */
export function AssetFacts({ asset, at }: { asset: AssetDetail; at: string | undefined }) {
  const heldBack = useHeldBack(asset, at);
  const inLake = asset.commit !== "";
  return (
    <section className="panel" aria-label="About it">
      <dl className="facts">
        {(inLake || asset.row_count != null) && <Fact label="Rows">{asset.row_count == null && asset.type === "view" ? "counted when it is read" : count(asset.row_count)}</Fact>}
        {(inLake || asset.size_bytes != null) && <Fact label="Size">{asset.size_bytes == null && asset.type === "view" ? "stores nothing" : bytes(asset.size_bytes)}</Fact>}
        {(inLake || asset.columns > 0) && <Fact label="Columns">{count(asset.columns)}</Fact>}
        {asset.key.length > 0 && asset.key.join() !== asset.primary_key.join() && <Fact label="Key">{asset.key.join(", ")}</Fact>}
        {(inLake || asset.updated_at != null) && (
          <Fact label="Changed">
            <RelativeTime time={asset.updated_at} />
          </Fact>
        )}
        {inLake && (
          <Fact label="Checks">
            <Link to="/assets/$assetId" params={{ assetId: asset.id }} search={{ at, tab: "quality" }} className="link" resetScroll={false}>
              {heldBack && "newest attempt: "}
              {checksInWords(asset)}
            </Link>
          </Fact>
        )}
        {asset.quality_score != null && <Fact label="Quality">{percent(asset.quality_score)} of its checks passed</Fact>}
        <DocumentedFacts asset={asset} />
        <Fact label="Contract">
          <TheContract table={asset.qualified_name} />
        </Fact>
        {inLake ? <Version asset={asset} /> : <Source asset={asset} />}
        {asset.former_names.length > 0 && <Fact label="Former names">{showUnseen(asset.former_names.join(", "))}</Fact>}
        {(inLake || asset.upstream_tables.length > 0) && (
          <Fact label="Made of" wide>
            <Tables tables={asset.upstream_tables} at={at} none="nothing in this project" />
          </Fact>
        )}
        {(inLake || asset.downstream_tables.length > 0) && (
          <Fact label="Used by" wide>
            <Tables tables={asset.downstream_tables} at={at} none="nothing in this project" />
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Version({ asset }: { asset: AssetDetail }) {
  return (
    <Fact label="Version" wide>
      {asset.version}
      {asset.last_commit != null && (
        <>
          {", of commit "}
          <CommitLink commit={asset.last_commit.id} />
        </>
      )}
      {asset.last_run != null && (
        <>
          {", written by run "}
          <RunLink runId={asset.last_run} />
        </>
      )}
    </Fact>
  );
}

/** What it promises its readers, where somebody wrote that down. */
function TheContract({ table }: { table: string }) {
  const { data } = useQuery(contractOfTableQuery(table));
  const contract = data?.items[0];
  if (data !== undefined && contract === undefined) return <span className="quiet">none</span>;
  if (contract === undefined) return NONE;
  const problems = contract.violations === null ? 0 : contract.violations.errors;
  return (
    <>
      <Link to="/contracts/$contractId" params={{ contractId: contract.id }} className="link name">
        {contract.name} {contract.version}
      </Link>
      {contract.state !== "active" && `, ${contract.state}`}
      {problems > 0 && `, ${plural(problems, "error")}`}
    </>
  );
}

/** What the tables are to it that hold its data, or that it reads and writes. */
const BACKING: Partial<Record<AssetDetail["type"], string>> = { dataset: "Tables of it", pipeline: "Reads and writes" };

/** Where it lives, of what is not in the lake. */
function Source({ asset }: { asset: AssetDetail }) {
  return (
    <>
      <Fact label="Source">{[asset.source, asset.source_system].filter((one) => one !== "").join(", ") || NONE}</Fact>
      {asset.location !== "" && <Fact label="Location">{asset.location}</Fact>}
      {asset.backed_by.length > 0 && (
        <Fact label={BACKING[asset.type] ?? "Backed by"} wide>
          <Tables tables={asset.backed_by} at={undefined} none="nothing" />
        </Fact>
      )}
    </>
  );
}

const FEW = 6;

function Tables({ tables, at, none }: { tables: readonly string[]; at: string | undefined; none: string }) {
  if (tables.length === 0) return <span className="quiet">{none}</span>;
  const more = tables.length - FEW;
  return (
    <>
      {tables.slice(0, FEW).map((table, index) => (
        <span key={table}>
          {index > 0 && ", "}
          <TableLink table={table} at={at} />
        </span>
      ))}
      {more > 0 && ` and ${plural(more, "more", "more")}`}
    </>
  );
}
