import { ActionIcon, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useId } from "react";

/** A few lines to be taken elsewhere, with a button that copies them. */
export function CodeBlock({ title, about, text }: { title: string; about: string; text: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const id = useId();
  const word = clipboard.copied ? "Copied" : "Copy";
  return (
    <div className="code-block">
      <div className="code-block-head">
        <h3 id={id}>{title}</h3>
        <Tooltip label={word} withArrow>
          <ActionIcon variant="subtle" color="gray" aria-label={`${word}: ${title}`} onClick={() => clipboard.copy(text)}>
            {clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      </div>
      <p className="quality-quiet">{about}</p>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- long lines scroll, so the keyboard must reach them */}
      <pre className="mono" tabIndex={0} role="region" aria-labelledby={id}>
        {text}
      </pre>
    </div>
  );
}
