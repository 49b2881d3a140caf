import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { keywordCompletionSource, sql, SQLDialect, StandardSQL } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import type { Offers } from "./names";

interface Props {
  value: string;
  /** Where the last problem lies. */
  fault: { line: number; column: number } | null;
  onTyped: (sql: string) => void;
  onRun: () => void;
  onExplain: () => void;
  offersAt: (sql: string, position: number) => Promise<Offers | null>;
}

/** Names in backquotes, texts in either quote: the SQL of queries is Spark's. */
const DIALECT = SQLDialect.define({ ...StandardSQL.spec, identifierQuotes: "`", doubleQuotedStrings: true, backslashEscapes: true });

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--sql-keyword)", fontWeight: "560" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--sql-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--sql-number)" },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  { tag: tags.typeName, color: "var(--sql-number)" },
]);

const setFault = StateEffect.define<Props["fault"]>();

const FAULT = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, docChanged, state }) {
    for (const effect of effects) if (effect.is(setFault)) return marked(state, effect.value);
    // What was typed since may have mended it.
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marked(state: EditorState, fault: Props["fault"]): DecorationSet {
  if (fault === null || fault.line < 1 || fault.line > state.doc.lines) return Decoration.none;
  const line = state.doc.line(fault.line);
  const from = Math.min(line.from + fault.column - 1, line.to);
  const word = /^[\w.]+|^\S/.exec(line.text.slice(from - line.from))?.[0] ?? "";
  const whole = Decoration.line({ class: "sql-fault-line" }).range(line.from);
  return Decoration.set(word === "" ? [whole] : [whole, Decoration.mark({ class: "sql-fault" }).range(from, from + word.length)]);
}

const ALL_WORDS = keywordCompletionSource(DIALECT, true);

/** Words of SQL that begin as what is typed: there are hundreds, and some of them have any letters. */
async function words(context: CompletionContext): Promise<CompletionResult | null> {
  const found = await ALL_WORDS(context);
  if (found === null) return null;
  const typed = context.state.sliceDoc(found.from, context.pos).toUpperCase();
  const options = typed === "" ? [] : found.options.filter(({ label }) => label.startsWith(typed));
  return { from: found.from, options };
}

const KINDS: Record<Offers["offers"][number]["kind"], string> = { source: "namespace", schema: "namespace", table: "class", column: "property", alias: "variable" };

/** The SQL of a query, with colours and completion. Tab leaves it, as it leaves any field. */
export default function Editor({ value, fault, onTyped, onRun, onExplain, offersAt }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const now = useRef({ onTyped, onRun, onExplain, offersAt });
  useEffect(() => {
    now.current = { onTyped, onRun, onExplain, offersAt };
  });
  const first = useRef(value);

  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const made = new EditorView({ parent, state: EditorState.create({ doc: first.current, extensions: extensions(now) }) });
    view.current = made;
    return () => {
      first.current = made.state.doc.toString();
      made.destroy();
      view.current = null;
    };
  }, []);

  // A query from elsewhere, as the history, takes the place of what stands there; it can be undone.
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value }, selection: { anchor: value.length } });
  }, [value]);

  useEffect(() => view.current?.dispatch({ effects: setFault.of(fault) }), [fault]);

  return <div ref={place} className="sql-editor" data-testid="sql" />;
}

type Now = React.RefObject<Pick<Props, "onTyped" | "onRun" | "onExplain" | "offersAt">>;

function extensions(now: Now) {
  const run = (): boolean => (now.current.onRun(), true);
  const explain = (): boolean => (now.current.onExplain(), true);
  const names = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const found = await now.current.offersAt(context.state.doc.toString(), context.pos);
    if (found === null || context.aborted || (!context.explicit && found.from === context.pos && context.state.sliceDoc(context.pos - 1, context.pos) !== ".")) return null;
    return { from: found.from, options: found.offers.map(optionOf), validFor: /^[\w`.]*$/ };
  };
  return [
    keymap.of([
      { key: "Mod-Enter", run, preventDefault: true },
      { key: "Mod-Shift-Enter", run: explain, preventDefault: true },
      { key: "Tab", run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "SQL", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
    placeholder("SELECT … FROM core.orders JOIN crm.customers …"),
    sql({ dialect: DIALECT, upperCaseKeywords: true }),
    syntaxHighlighting(COLOURS),
    autocompletion({ override: [names, words], icons: false, maxRenderedOptions: 60 }),
    FAULT,
    EditorView.updateListener.of((update) => {
      if (update.docChanged) now.current.onTyped(update.state.doc.toString());
    }),
  ];
}

function optionOf({ label, written, kind, about, goesOn }: Offers["offers"][number]): Completion {
  return {
    label,
    type: KINDS[kind],
    detail: about,
    // What the query can name stands before the words of SQL.
    boost: kind === "column" ? 20 : kind === "alias" ? 15 : 10,
    apply: goesOn ? applyWithDot(written) : written,
  };
}

/** What is inside comes next. */
function applyWithDot(written: string) {
  return (view: EditorView, _completion: Completion, from: number, to: number): void => {
    view.dispatch({ changes: { from, to, insert: `${written}.` }, selection: { anchor: from + written.length + 1 } });
    startCompletion(view);
  };
}
