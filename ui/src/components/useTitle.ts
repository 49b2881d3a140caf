import { useEffect } from "react";

/** Names the browser's tab: "Runs · Forge". */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "Forge" ? title : `${title} · Forge`;
  }, [title]);
}
