/** The one client of the API, typed by its OpenAPI document. */
import createClient from "openapi-fetch";

import { heard, lost } from "./connection";
import { problemOf, unreachableProblem } from "./problem";
import type { paths } from "./schema";

async function send(request: Request): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch (error) {
    // A page that was left cancels its requests; that says nothing about the server.
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    lost();
    throw unreachableProblem();
  }
  if (answer.status === 502 || answer.status === 504) lost();
  else heard();
  return answer;
}

const origin = typeof location === "undefined" ? "http://localhost" : location.origin;

export const client = createClient<paths>({ baseUrl: origin, fetch: send, credentials: "same-origin" });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer's content, or the problem it was, thrown. */
export async function unwrap<T>(sent: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await sent;
  if (!response.ok) throw problemOf(response.status, error);
  return data as T;
}

/** The same of a list: what is on its page. */
export async function itemsOf<T>(sent: Promise<Answer<{ items: T[] }>>): Promise<T[]> {
  return (await unwrap(sent)).items;
}
