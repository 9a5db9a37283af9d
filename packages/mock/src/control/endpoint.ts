import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { nearest } from '../util/values.ts';
import type { MockSession } from './mock-session.ts';
import { Problem } from './problem.ts';

/** Says that an endpoint has answered itself. */
export const ANSWERED = Symbol('answered');

/** One call of the control API. */
export interface ControlCall {
  readonly context: Context;
  readonly session: MockSession;
  /** Values of `{name}` in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON of the body; undefined where there is none. */
  readonly body: unknown;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One thing that the control API does. */
export interface Endpoint {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path below the API; `{name}` is one segment, `{name*}` all that follow. */
  readonly path: string;
  /** Parameters of the query, beside `session`. Default: none. */
  readonly query?: readonly string[];
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * @returns what is sent as JSON; undefined for 204; `ANSWERED` where it has answered itself
   * @throws Problem, or FieldError for 400
   */
  answer(call: ControlCall): unknown;
}

/** An endpoint, and the values of its path. */
interface FoundEndpoint {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds what a call is for. HEAD is GET without a body.
 *
 * @param path below the API, as it came
 * @throws Problem 404 or 405
 */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): FoundEndpoint {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const allowed = new Set<string>();
  for (const endpoint of endpoints) {
    const params = match(endpoint.path.split('/'), path.split('/'));
    if (params === undefined) continue;
    if (endpoint.method === wanted) return { endpoint, params };
    allowed.add(endpoint.method);
  }
  if (allowed.size > 0) {
    const allow = [...allowed].join(', ');
    throw new Problem(405, `Use ${allow}, not ${method}.`, { headers: { allow } });
  }
  const known = [...new Set(endpoints.map((endpoint) => endpoint.path))];
  const near = nearest(path, known);
  const hint = near === undefined ? `there are ${known.join(', ')}` : `do you mean ${near}?`;
  throw new Problem(404, `The control API has no ${path.slice(0, 100) || 'empty path'}: ${hint}`);
}

function match(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = Object.create(null);
  for (const [index, part] of template.entries()) {
    const [, name, rest] = /^\{(\w+)(\*?)\}$/.exec(part) ?? [];
    const given = rest === '*' ? segments.slice(index).join('/') : segments[index];
    if (name === undefined ? given !== part : given === undefined || given === '') return undefined;
    if (name !== undefined) params[name] = decode(given as string);
    if (rest === '*') return params;
  }
  return template.length === segments.length ? params : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(400, `The path has broken percent-encoding: ${text.slice(0, 100)}.`);
  }
}
