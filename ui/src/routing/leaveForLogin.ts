import type { ApiProblem } from "../api/problem";
import type { makeRouter } from "./router";

/** To the sign-in page, and after it back to where one was. */
export function leaveForLogin(router: ReturnType<typeof makeRouter>, problem: ApiProblem): void {
  const { pathname, href } = router.state.location;
  if (pathname === "/login") return;
  void router.navigate({ to: "/login", search: { to: href, reason: reasonOf(problem) }, replace: true });
}

/** The server says why in words; only these change what the sign-in page explains. */
export function reasonOf(problem: ApiProblem): "expired" | "revoked" | undefined {
  const said = `${problem.message} ${problem.why ?? ""}`.toLowerCase();
  if (said.includes("expired")) return "expired";
  return said.includes("revoked") || said.includes("signed out") || said.includes("ended") ? "revoked" : undefined;
}
