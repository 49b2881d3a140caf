/** Databases and schemas as a tree, from the list of them. */

export interface Holder {
  type: string;
  name: string;
  qualified_name: string;
  container: string;
}

export interface Branch {
  /** The qualified name; of the lake, which has none, empty. */
  name: string;
  label: string;
  type: "lake" | "database" | "schema";
  children: Branch[];
}

/** The lake with its schemas first, then databases; each by name. */
export function treeOf(holders: readonly Holder[]): Branch[] {
  const branches = new Map<string, Branch>();
  for (const { name, qualified_name: full, type } of holders) branches.set(full, { name: full, label: name, type: type === "database" ? "database" : "schema", children: [] });
  const lake: Branch = { name: "", label: "Lake", type: "lake", children: [] };
  const roots: Branch[] = [];
  for (const { qualified_name: full, container } of holders) {
    const branch = branches.get(full);
    if (branch === undefined) continue;
    const above = branches.get(container);
    if (above !== undefined && above !== branch) above.children.push(branch);
    else if (branch.type === "database" || full.includes(":")) roots.push({ ...branch, label: full.replace(/:$/, "") });
    else lake.children.push(branch);
  }
  const all = [...(lake.children.length > 0 ? [lake] : []), ...roots.toSorted(byLabel)];
  return all.map(sorted);
}

function sorted(branch: Branch): Branch {
  return { ...branch, children: branch.children.toSorted(byLabel).map(sorted) };
}

function byLabel(one: Branch, other: Branch): number {
  return one.label.localeCompare(other.label);
}

/** The branch of that name. */
export function branchNamed(name: string | undefined, branches: readonly Branch[]): Branch | undefined {
  for (const branch of branches) {
    const found = branch.name !== "" && branch.name === name ? branch : branchNamed(name, branch.children);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a branch is opened: it, or something below it, is what is looked at. */
export function leadsTo(branch: Branch, at: string | undefined): boolean {
  return at !== undefined && (branch.name === at || branch.children.some((child) => leadsTo(child, at)));
}
