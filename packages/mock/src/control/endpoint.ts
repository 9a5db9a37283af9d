import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import type { MockSession } from './mock-session.ts';

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

/** Says that an endpoint has answered itself. */
export const ANSWERED = Symbol('answered');
