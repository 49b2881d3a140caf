import type { ErrorView, Problem as WireProblem } from "./types";

/** What went wrong with a request, in the one shape of Forge's errors. `status` 0: no answer came at all. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly where: string | null;
  readonly why: string | null;
  readonly fix: string | null;
  readonly errors: readonly ErrorView[];

  constructor(status: number, error: ErrorView, errors: readonly ErrorView[] = []) {
    super(error.what);
    this.name = "ApiProblem";
    this.status = status;
    this.code = error.code;
    this.where = error.where ?? null;
    this.why = error.why ?? null;
    this.fix = error.fix ?? null;
    this.errors = errors;
  }

  get unreachable(): boolean {
    return this.status === 0;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }

  /** The server answered that the same request may work in a moment: database busy, queue full, Spark starting. */
  get temporary(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

export function unreachableProblem(): ApiProblem {
  return new ApiProblem(0, {
    code: "",
    what: "Forge cannot be reached",
    why: "The server does not answer. It may have been stopped, or the network is away.",
    fix: "Start it with `forge serve`; this page goes on by itself.",
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isProblem(body: unknown): body is WireProblem {
  return isRecord(body) && typeof body.code === "string" && typeof body.detail === "string";
}

/** Reads an error answer. One that is not problem+json (a proxy's page, say) still gives a readable problem. */
export function problemOf(status: number, body: unknown): ApiProblem {
  if (isProblem(body)) {
    const { code, detail, where, why, fix } = body;
    return new ApiProblem(status, { code, what: detail, where, why, fix }, body.errors);
  }
  // What stands between browser and server answers these when the server itself is gone.
  if (status === 502 || status === 504) return unreachableProblem();
  return new ApiProblem(status, {
    code: "",
    what: `The server answered ${status}`,
    why: "The answer was not one of Forge's own errors.",
    fix: "Try again; if it stays, look into the log of `forge serve`.",
  });
}

/** A page's own script or styles could not be fetched: the server is away, or was upgraded under an open page. */
function isMissingFile(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith("Unable to preload") || (error instanceof TypeError && /fetch|import|module/i.test(error.message));
}

/** Any thrown thing as a problem, for the one component that shows them. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (isMissingFile(error)) {
    return new ApiProblem(0, {
      code: "",
      what: "This page could not be loaded",
      why: "The server does not answer, or it was upgraded since you opened Forge.",
      fix: "Reload the page.",
    });
  }
  return new ApiProblem(-1, {
    code: "",
    what: "Something in this page broke",
    why: error instanceof Error ? error.message : String(error),
    fix: "Reload the page; if it stays, please report it.",
  });
}
