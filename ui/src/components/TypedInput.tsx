import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const PAUSE_MS = 250;

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  /** As the address has it. */
  value: string;
  /** Called after a pause, not with every letter. */
  onTyped: (text: string) => void;
}

/** A field whose text lives in the address. It shows each letter at once, and follows when the address changes by itself. */
export function TypedInput({ value, onTyped, ...rest }: Props) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // What was sent from here comes back a moment later; letters typed since then stay.
    if (value !== sent) setText(value);
  }
  const later = useDebouncedCallback((typed: string) => {
    setSent(typed);
    onTyped(typed);
  }, PAUSE_MS);
  return (
    <TextInput
      {...rest}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value.trim());
      }}
    />
  );
}
