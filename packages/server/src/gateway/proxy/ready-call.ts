import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Deadlines } from './deadlines.ts';

/** A call that is ready to go to any endpoint of a version. */
export interface ReadyCall {
  /** Request target, bytes as they came. */
  readonly target: string;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Readable | Buffer | null;
  /** The protocol to change to, where the call asks for one. */
  readonly upgrade: string | undefined;
  /** The call ends with it. */
  readonly response: ServerResponse;
  /** The time that a service has until its response headers. */
  readonly deadlines: Deadlines;
}
