"""A process that delivers alerts of a project: `alert_worker.py FOLDER SECONDS-AHEAD [forever]`. It prints a line once
it is ready; `forever` looks again and again, as a server does."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forge.flows.quality.incidents.deliveries import deliver_due
from forge.wiring import Wiring


def main() -> None:
    ahead = timedelta(seconds=float(sys.argv[2]))
    wiring = Wiring.of(Path(sys.argv[1]), clock=lambda: datetime.now(UTC) + ahead)
    ports = wiring.quality.alerts
    print("ready", flush=True)
    while True:
        deliver_due(ports)
        if "forever" not in sys.argv:
            break
        time.sleep(0.01)
    wiring.close()


if __name__ == "__main__":
    main()
