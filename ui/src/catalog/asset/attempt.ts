import { useQuery } from "@tanstack/react-query";

import { healthQuery, type AssetDetail } from "../../api";
import { HEAD } from "../../format/refs";

/** Whether what failed is an attempt that readers never got. Asked only where something failed. */
export function useHeldBack(asset: AssetDetail, at: string | undefined): boolean {
  const wrong = asset.checks_failed > 0 || asset.checks_not_measured > 0;
  const { data } = useQuery({ ...healthQuery(asset.id, at ?? HEAD), enabled: wrong });
  return (data?.held_back.length ?? 0) > 0;
}
