import type { Readable } from 'node:stream';
import type { Cors } from '../http/cors.ts';
import { removeHopByHop } from '../http/headers.ts';
import { UpgradeResponse } from '../http/upgrade.ts';
import { hasBody } from '../runtime/body/request-stream.ts';
import { type Call, type Handler, HttpError, type Input } from '../runtime/index.ts';
import type {
  GatewayCall,
  GatewayHandler,
  GatewayInput,
  ServiceResponse,
} from './gateway-handlers.ts';
import { toCallerResponse } from './to-caller-response.ts';
import { handleUpgrade, invalidRequest, TAKEN, type UpgradeSettings } from './web-socket.ts';

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

export function toGatewayHandler<Caller>(
  handler: GatewayHandler<Caller>,
  cors: Cors,
  upgrades: UpgradeSettings,
): Handler {
  const toResponse = (response: ServiceResponse, call: Call) => {
    const headers = cors.response(call.request.headers.origin);
    return toCallerResponse(response, call, headers, upgrades.upstreamStatus);
  };
  return async (given, call: Call) => {
    assertForwardable(call);
    const input = toInput(given, call);
    // The security handlers have set `env`: every operation of the gateway has credentials.
    const { bearerToken, signature } = call.security;
    const known = call as unknown as Omit<GatewayCall<Caller>, 'caller'> & { caller: unknown };
    known.caller = bearerToken ?? signature;
    if (call.response instanceof UpgradeResponse) {
      const refusal = await handleUpgrade(input, known as never, call.response, upgrades);
      return refusal === undefined ? TAKEN : toResponse(refusal, call);
    }
    let response: ServiceResponse;
    try {
      response = await handler(input, known as GatewayCall<Caller>);
    } catch (error) {
      // If the body exceeded the limit (D13), that is why the handler failed.
      throw input.body?.errored instanceof HttpError ? input.body.errored : error;
    }
    return toResponse(response, call);
  };
}

/**
 * Rejects requests that must not reach a hosted service.
 *
 * A segment that is `.` or `..` after one decoding is `INVALID_REQUEST` (D3): a service or a
 * library along the way could resolve it, and so reach another service. The same applies to a backslash,
 * which is not valid in a URL (RFC 3986) and which URL parsers turn into a slash (WHATWG URL, section
 * 4.4). D13: "It responds with a 400 to a GET that has a body."
 *
 * @throws GatewayError INVALID_REQUEST
 */
function assertForwardable({ request, rawPath }: Pick<Call, 'request' | 'rawPath'>): void {
  if (rawPath.includes('\\')) {
    throw invalidRequest('The path contains a backslash: encode it as %5C, or send a slash.');
  }
  if (rawPath.split('/').some((segment) => DOT_SEGMENT.test(segment))) {
    throw invalidRequest(
      'The path contains a . or .. segment after decoding: resolve it before you send the request.',
    );
  }
  if (request.method !== 'POST' && hasBody(request)) {
    throw invalidRequest(
      'A GET request must not have a body: send the data in the query string, or use POST.',
    );
  }
}

/** Nothing is decoded or encoded again (D3). */
function toInput({ path, body }: Input, call: Call): GatewayInput {
  const { request, rawQuery } = call;
  const anyPath = String(path?.anyPath ?? '');
  const method = request.method ?? 'GET';
  const headers = removeHopByHop(request.headers) as Record<string, string | string[]>;
  // The router handles this header, and some HTTP clients refuse to send it.
  delete headers.expect;
  // The service gets the request ID of the call (D9).
  headers['x-request-id'] = call.requestId;
  return {
    name: String(path?.name),
    anyPath,
    rawQuery,
    target: rawQuery === undefined ? `/${anyPath}` : `/${anyPath}?${rawQuery}`,
    method,
    headers,
    body: method === 'POST' ? (body as Readable) : undefined,
  };
}
