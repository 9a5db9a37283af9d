import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GatewayError } from '../errors.ts';
import { toRawServiceHeaders, toServiceHeaders } from '../forwarding.ts';
import type { Input } from '../generated/gateway.v1/index.gen.ts';
import type { Call } from '../runtime/portable/call.ts';
import type { ParsedInput } from '../runtime/portable/parameters.ts';
import { hasBody } from '../runtime/receive.ts';

type PathInput = Input<'cloudrun-get'>['path'];

/** A call to a hosted service, ready to be forwarded. */
export interface GatewayInput {
  /** Name of the hosted service, which matches the contract's pattern. */
  readonly name: PathInput['name'];
  /** Request target for the service: `/`, `{anyPath}` and the query, byte for byte. */
  readonly target: string;
  /** `GET`, `HEAD` or `POST`. HEAD is handled like a GET whose response has no body. */
  readonly method: string;
  /** By lowercase name, without `authorization` and hop-by-hop headers (RFC 9110, 7.6.1), and with `x-request-id`. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The same headers as undici takes them: alternating names and values as sent, each repeated one included. */
  readonly rawHeaders: readonly string[];
  /** Unparsed body of a POST. It fails if it exceeds the limit. */
  readonly body: Readable | undefined;
}

/** @throws GatewayError INVALID_CREDENTIALS if the body was not signed */
export async function verifyBody(input: GatewayInput, caller: unknown): Promise<GatewayInput> {
  // Callers that `createGatewaySignature` returns have it if their call has a body.
  const signer = Object(caller) as { verifyBody?: (bodyHash: string) => void };
  if (input.body === undefined || signer.verifyBody === undefined) return input;
  const bytes = await buffer(input.body);
  signer.verifyBody(hash('sha256', bytes));
  return { ...input, body: Readable.from([bytes]) };
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Rejects requests that must not reach a hosted service. D3: a segment that is `.` or `..` after one decoding is
 * `INVALID_REQUEST`, because a library along the way could resolve it. The same applies to a backslash, which URL
 * parsers turn into a slash (WHATWG URL, section 4.4). D13: "A GET with a body gets a 400."
 */
function assertForwardable({ request, rawPath }: Call): void {
  const invalid = (message: string) => new GatewayError('INVALID_REQUEST', { message });
  if (rawPath.includes('\\')) {
    throw invalid('The path contains a backslash: encode it as %5C, or send a slash.');
  }
  if (DOT_SEGMENT.test(rawPath)) {
    throw invalid(
      'The path contains a . or .. segment after decoding: resolve it before you send the request.',
    );
  }
  if (request.method !== 'POST' && hasBody(request)) {
    throw invalid(
      `A ${request.method} request must not have a body: send the data in the query string, or use POST.`,
    );
  }
}

/** Nothing is decoded or encoded again (D3). @throws GatewayError if it must not reach a hosted service */
export function toServiceInput({ path, body }: ParsedInput, call: Call): GatewayInput {
  assertForwardable(call);
  const { request, requestId, rawQuery } = call;
  const { method = 'GET' } = request;
  const { name, anyPath = '' } = path as Pick<PathInput, 'name'> & Partial<PathInput>;
  return {
    name,
    target: rawQuery === undefined ? `/${anyPath}` : `/${anyPath}?${rawQuery}`,
    method,
    // Getters would take a fifth of a call's time: V8 gives each object with getters of its own a hidden class, which
    // keeps the request alive until the next full garbage collection.
    headers: toServiceHeaders(request.headers, requestId),
    rawHeaders: toRawServiceHeaders(request, requestId),
    body: method === 'POST' ? (body as Readable) : undefined,
  };
}
