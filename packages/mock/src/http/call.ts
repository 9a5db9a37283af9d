import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostOf } from '../routing/host.ts';
import { parseTarget } from '../routing/request-target.ts';

/** One request, read as far as every surface needs it. */
export interface Call {
  /** Identifier made anew for each call (D9), never taken from the request. */
  requestId: string;
  method: string;
  /** Raw path: nothing decoded, no dot segment removed. */
  path: string;
  /** Raw query string without `?`. */
  query: string | undefined;
  /** Host of the request in lower case; undefined where it is missing, repeated or no host. */
  host: string | undefined;
  /** Address under which the client reached the mock, for links that it can follow. */
  origin: string;
  /** The request, for its headers and its body. */
  request: IncomingMessage;
}

/**
 * Reads the start of a request.
 *
 * @param url the mock's own address, for requests that name no host
 */
export function toCall(request: IncomingMessage, url: string): Call {
  const { authority = hostHeaderOf(request), path, query } = parseTarget(request.url ?? '/');
  const host = hostOf(authority);
  return {
    requestId: randomUUID(),
    method: request.method ?? 'GET',
    path,
    query,
    host,
    origin: host === undefined ? url : `http://${authority}`,
    request,
  };
}

/** RFC 9112, section 3.2: more than one `Host` is refused, for two readers could each take another. */
function hostHeaderOf({ headersDistinct }: IncomingMessage): string {
  const [host = '', ...others] = headersDistinct.host ?? [];
  return others.length === 0 ? host : '';
}
