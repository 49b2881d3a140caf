import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconClockHour4, IconGitBranch } from "@tabler/icons-react";

import { asProblem, assetQuery, commitQuery, type AssetDetail } from "../../api";
import { BranchLink, CommitLink, RelativeTime } from "../../components";
import { exact } from "../../format/numbers";
import { askedFor, type Stand } from "./revision";

interface Props {
  asset: AssetDetail;
  at: string | undefined;
  stand: Stand;
}

/** Says that the page does not show what readers have now, and leads there. */
export function RevisionNote({ asset, at, stand }: Props) {
  if (stand.kind === "now") return null;
  return (
    <div className="stand" role="note">
      {stand.kind === "branch" ? <IconGitBranch size={18} aria-hidden /> : <IconClockHour4 size={18} aria-hidden />}
      <p>
        {stand.kind === "branch" ? <OnBranch branch={stand.branch} /> : <AsOf asset={asset} at={at} newest={stand.newest} />}
        {" — "}
        <Link from="/assets/$assetId" to="/assets/$assetId" params={{ assetId: asset.id }} search={(before) => ({ ...before, at: undefined })} className="link" resetScroll={false}>
          show now
        </Link>
      </p>
    </div>
  );
}

function OnBranch({ branch }: { branch: string }) {
  return (
    <>
      On branch <BranchLink branch={branch} />. Readers of the default branch may see something else
    </>
  );
}

function AsOf({ asset, at, newest }: { asset: AssetDetail; at: string | undefined; newest: boolean }) {
  const { data: commit } = useQuery(commitQuery(asset.commit));
  const asked = askedFor(at, asset.commit);
  return (
    <>
      As of commit <CommitLink commit={asset.commit} />
      {asked !== null && ` (${asked})`}
      {commit !== undefined && (
        <>
          , <RelativeTime time={commit.time} /> <span className="stand-exact">({exact(commit.time)})</span>
        </>
      )}
      {". "}
      {newest ? "That is the newest commit" : <Since asset={asset} />}
    </>
  );
}

/** Whether it changed after the time that is shown. */
function Since({ asset }: { asset: AssetDetail }) {
  const { data: now, error } = useQuery(assetQuery(asset.id));
  if (error !== null && asProblem(error).status === 404) return "It is not on the default branch now";
  if (now === undefined) return "This is the past";
  if (now.version === asset.version && now.snapshot_id === asset.snapshot_id) return "It has not changed since";
  return `This is version ${asset.version}; now it is version ${now.version}`;
}
