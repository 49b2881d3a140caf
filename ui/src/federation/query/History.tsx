import { Button, CloseButton, Text } from "@mantine/core";

import { RelativeTime } from "../../components";
import { duration, plural } from "../../format/numbers";
import type { Asked } from "./past";

interface Props {
  past: readonly Asked[];
  onTake: (one: Asked) => void;
  onForget: () => void;
  onClose: () => void;
}

/** What was asked before. It is kept by this browser, and nobody else sees it. */
export function History({ past, onTake, onForget, onClose }: Props) {
  return (
    <section className="panel history" aria-label="History">
      <header className="history-head">
        <h2 className="panel-title">Asked before</h2>
        <Text size="sm" c="dimmed" className="history-about">
          Kept in this browser; the audit of the server has all that was asked.
        </Text>
        {past.length > 0 && (
          <Button size="compact-xs" variant="subtle" onClick={onForget}>
            Forget all
          </Button>
        )}
        <CloseButton aria-label="Close the history" onClick={onClose} />
      </header>
      {past.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          Nothing yet. What you run is listed here.
        </Text>
      ) : (
        <ul>
          {past.map((one) => (
            <li key={`${one.time} ${one.sql}`}>
              <button type="button" className="history-one" onClick={() => onTake(one)}>
                <code>{one.sql.trim()}</code>
                <span className="history-fact">
                  {one.code !== null ? <span className="history-bad">{one.code}</span> : `${plural(one.rows ?? 0, "row")}, ${duration((one.ms ?? 0) / 1000)}`}
                  {one.at !== undefined && ` · at ${one.at}`} · <RelativeTime time={one.time} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
