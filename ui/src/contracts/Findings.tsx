import { Link } from "@tanstack/react-router";

import type { ViolationView } from "../api";
import { CopyCommand, StatusBadge, WithCode } from "../components";
import { commandsIn } from "../components/CopyCommand";
import { placeInWords, worstFirst } from "./words";

interface Props {
  /** What the list is of, for screen readers. */
  label: string;
  violations: readonly ViolationView[];
  /** The file is said above the list already. */
  inFile?: boolean;
  /** Whose text is at hand: what stands in its file leads to its line. */
  contract?: { id: string; file: string | null } | undefined;
}

/** What is wrong, the worst first: its code, what, where it stands, and what to do. */
export function Findings({ label, violations, inFile, contract }: Props) {
  return (
    <ul className="findings" aria-label={label}>
      {worstFirst(violations).map((one, index) => (
        <li key={index}>
          <StatusBadge word={one.severity} />
          <div className="finding-text">
            <p className="finding-message name">
              {one.code !== "" && <span className="mono finding-code">{one.code}</span>}
              {one.message}
            </p>
            {one.fix !== "" && (
              <p className="finding-fix name">
                <strong>Fix:</strong> <WithCode text={one.fix} />
              </p>
            )}
            {commandsIn(one.fix).map((command) => (
              <CopyCommand key={command} command={command} />
            ))}
          </div>
          <Where one={one} inFile={inFile ?? false} contract={contract} />
        </li>
      ))}
    </ul>
  );
}

/** The line, leading to it where its text can be shown. */
function Where({ one, inFile, contract }: { one: ViolationView; inFile: boolean; contract: Props["contract"] }) {
  const place = inFile && one.line > 0 ? `line ${one.line}${one.column > 1 ? `, column ${one.column}` : ""}` : placeInWords(one);
  const id = contract === undefined ? one.contract_id : one.file === contract.file ? contract.id : null;
  if (id == null || one.line < 1) return <span className="finding-place mono name">{place}</span>;
  return (
    <Link to="/contracts/$contractId" params={{ contractId: id }} search={{ part: "text", line: one.line }} className="finding-place link mono name">
      {place}
    </Link>
  );
}
