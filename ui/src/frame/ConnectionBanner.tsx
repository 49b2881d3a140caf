import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";

import { probe, useConnection } from "../api/connection";
import { clock } from "../format/numbers";

/** While Forge does not answer: says so, and that what is on screen stays. */
export function ConnectionBanner() {
  const { reachable, heardAt } = useConnection();
  return (
    <div role="status" className="banner-place">
      {!reachable && (
        <div className="banner">
          <IconPlugConnectedX size={18} aria-hidden />
          <span>
            <strong>Forge cannot be reached</strong> — showing what was loaded at {clock(heardAt)}; trying again.
          </span>
          <Button size="compact-xs" variant="default" onClick={probe}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
