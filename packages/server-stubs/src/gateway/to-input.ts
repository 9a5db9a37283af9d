import type { Readable } from 'node:stream';
import type { Call, Input } from '../runtime/index.ts';
import type { GatewayInput } from './gateway-handlers.ts';
import { removeHopByHop } from './remove-hop-by-hop.ts';

const NAME = 'name';
const ANY_PATH = 'anyPath';

/** What a handler of the gateway gets. Nothing is decoded or encoded again (D3). */
export function toInput({ path, body }: Input, call: Call): GatewayInput {
  const { request, rawQuery } = call;
  const anyPath = String(path?.[ANY_PATH] ?? '');
  const method = request.method ?? 'GET';
  const headers = removeHopByHop(request.headers) as Record<string, string | string[]>;
  // Met already: the router asks for the body itself, and some clients refuse to send the header.
  delete headers.expect;
  // D9: "a UUID, passed on to the hosted service".
  headers['x-request-id'] = call.requestId;
  return {
    name: String(path?.[NAME]),
    anyPath,
    rawQuery,
    target: rawQuery === undefined ? `/${anyPath}` : `/${anyPath}?${rawQuery}`,
    method,
    headers,
    body: method === 'POST' ? (body as Readable) : undefined,
  };
}
