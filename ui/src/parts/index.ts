/** What pages are made of. */
export { ConfirmDialog } from "./ConfirmDialog";
export { CopyCommand, WithCode } from "./CopyCommand";
export { DataTable, type Column } from "./DataTable";
export { Empty } from "./Empty";
export { FocusPicker } from "./FocusPicker";
export { LineageAt } from "./LineageAt";
export { BranchLink, ColumnLink, CommitLink, Name, RunLink, TableLink } from "./links";
export { Loaded } from "./Loaded";
export { notify, notifyProblem } from "./notices";
export { PageHeader } from "./PageHeader";
export { Problem } from "./Problem";
export { RefSwitch } from "./RefSwitch";
export { RelativeTime } from "./RelativeTime";
export { ShowMore } from "./ShowMore";
export { StatusBadge, type Tone } from "./StatusBadge";
export { TypedInput } from "./TypedInput";
export { useTitle } from "./useTitle";
