import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconBinaryTree2, IconGitCommit, IconRoute, IconTable } from "@tabler/icons-react";

import type { CauseView } from "../../api";
import { RelativeTime } from "../../components";
import { shortCommit } from "../../format/refs";

/** Where it came in: the first dataset upstream that fails, and one click to the commit that brought it. */
export function Cause({ cause, subject }: { cause: CauseView | null; subject: string }) {
  return (
    <section className="panel quality-pad cause" aria-labelledby="cause">
      <h2 className="panel-title" id="cause">
        Where it came in
      </h2>
      {cause === null ? (
        <p className="quality-quiet">
          Nothing upstream of it failed, as far as lineage knows.{" "}
          <Link to="/lineage" search={{ focus: subject, direction: "upstream" }} className="link">
            See its lineage
          </Link>
        </p>
      ) : (
        <KnownCause cause={cause} />
      )}
    </section>
  );
}

function KnownCause({ cause }: { cause: CauseView }) {
  const { commit } = cause;
  const focus = cause.column === null ? cause.dataset : `${cause.dataset}.${cause.column}`;
  return (
    <>
      <p className="cause-words name">
        <IconRoute size={18} aria-hidden />
        <span>{cause.words}</span>
      </p>
      {commit !== null && (
        <p className="cause-commit name">
          “{commit.message}”{" "}
          <span className="quality-quiet">
            {commit.author.name}, <RelativeTime time={commit.time} />
          </span>
        </p>
      )}
      <div className="cause-ways">
        {commit !== null && (
          <Button leftSection={<IconGitCommit size={16} aria-hidden />} renderRoot={(props) => <Link to="/commits/$commit" params={{ commit: commit.id }} {...props} />}>
            Open commit {shortCommit(commit.id)}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconTable size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/assets/$assetId" params={{ assetId: cause.dataset }} search={commit === null ? { tab: "quality" } : { tab: "quality", at: commit.id }} {...props} />}
        >
          {cause.dataset}
        </Button>
        <Button variant="default" leftSection={<IconBinaryTree2 size={16} aria-hidden />} renderRoot={(props) => <Link to="/lineage" search={{ focus, direction: "downstream" }} {...props} />}>
          Who is hit
        </Button>
      </div>
    </>
  );
}
