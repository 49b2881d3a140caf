import { Link } from "@tanstack/react-router";
import { IconActivity, IconAlertTriangle, IconBandage, IconChartDots, IconHeartbeat, type Icon } from "@tabler/icons-react";

const PARTS: readonly { to: "/quality" | "/quality/monitors" | "/quality/incidents" | "/quality/anomalies" | "/quality/remediations"; label: string; icon: Icon }[] = [
  { to: "/quality", label: "Health", icon: IconHeartbeat },
  { to: "/quality/monitors", label: "Monitors", icon: IconActivity },
  { to: "/quality/incidents", label: "Incidents", icon: IconAlertTriangle },
  { to: "/quality/anomalies", label: "Anomalies", icon: IconChartDots },
  { to: "/quality/remediations", label: "Remedies", icon: IconBandage },
];

/** The parts of quality, as addresses of their own. */
export function QualityNav() {
  return (
    <nav className="quality-nav" aria-label="Quality">
      {PARTS.map(({ to, label, icon: Sign }) => (
        <Link key={to} to={to} className="quality-nav-link" activeOptions={{ exact: to === "/quality", includeSearch: false }}>
          <Sign size={16} stroke={1.7} aria-hidden className="quality-nav-icon" />
          {label}
        </Link>
      ))}
    </nav>
  );
}
