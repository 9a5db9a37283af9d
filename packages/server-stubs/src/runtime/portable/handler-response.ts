import type { ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** A handler's response. Generated code narrows it to the documented responses. */
export interface HandlerResponse {
  readonly status: number;
  /** Default: the one in `headers`, or else `application/json` if it is documented, or else the first. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Only with status 101: gets the connection. Without `headers`, it also sends the head. */
  readonly open?: (socket: Duplex, head: Buffer) => void;
}

/**
 * Writes a body without a stream in between, in pass-through operations: it must respect `drain`, and end or destroy
 * the response.
 */
export type BodyWriter = (response: ServerResponse) => void;

/** A body that is sent as is, never as JSON. */
export type RawBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
