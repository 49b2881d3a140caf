/** What pages are made of. */
export { ConfirmDialog } from "./ConfirmDialog";
export { CopyCommand, WithCode } from "./CopyCommand";
export { DataTable, type Column } from "./DataTable";
export { EmptyState } from "./EmptyState";
export { FocusPicker } from "./FocusPicker";
export { BranchLink, ColumnLink, CommitLink, Name, RunLink, TableLink } from "./links";
export { notify, notifyProblem } from "./notices";
export { PageHeader } from "./PageHeader";
export { Problem } from "./Problem";
export { QueryResult } from "./QueryResult";
export { RefSwitch } from "./RefSwitch";
export { RelativeTime } from "./RelativeTime";
export { ShowMore } from "./ShowMore";
export { StatusBadge, type Tone } from "./StatusBadge";
export { TypedInput } from "./TypedInput";
export { useTitle } from "./useTitle";
