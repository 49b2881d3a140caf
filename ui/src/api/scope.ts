import { useQuery } from "@tanstack/react-query";

import { sessionQuery } from ".";

/** Whether who is signed in may change anything. As long as that is not known: no. */
export function useMayWrite(): boolean {
  return useQuery(sessionQuery()).data?.scope === "write";
}
