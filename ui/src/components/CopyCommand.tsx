import { ActionIcon, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** A command to type, with a button that copies it. */
export function CopyCommand({ command }: { command: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const text = clipboard.copied ? "Copied" : "Copy";
  return (
    <div className="command">
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- a long command scrolls, so the keyboard must reach it */}
      <code tabIndex={0}>{command}</code>
      <Tooltip label={text} withArrow>
        <ActionIcon variant="subtle" color="gray" aria-label={`${text}: ${command}`} onClick={() => clipboard.copy(command)}>
          {clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Text in which `forge …` between backticks becomes a code. */
export function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** The commands a text names, as far as they can be typed as they stand: between backticks, or all that follows a colon. */
export function commandsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`(forge [^`]+)`/g)].map((match) => match[1] ?? "");
  if (quoted.length > 0) return quoted.filter((command) => !command.includes("…"));
  // To the end, or not at all: a command that was cut does something else.
  const bare = /(?:^|: )(forge [a-z-]+(?: [\w@.~:/<>+*=-]+)*)$/.exec(text.trim());
  return bare?.[1] === undefined ? [] : [bare[1].replace(/[.,;:]$/, "")];
}
