import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Call, toAnswer } from '@berth/server-stubs';
import type { toRefusal } from '../refusals/to-refusal.ts';
import type { FaultedCall } from './faulted-call.ts';

/**
 * Answers with an error of the contract in place of the router: with the headers of every answer, and
 * the body unread. Node reads and drops the rest of it, so that the connection can be kept.
 */
export function sendRefusal(
  error: ReturnType<typeof toRefusal>,
  { request, cors, profile, requestId = randomUUID }: FaultedCall,
  response: ServerResponse,
): void {
  const rawPath = request.url?.split('?', 1)[0] ?? '/';
  const call = { request, requestId: requestId(), rawPath } as unknown as Call;
  const { status, headers, body } = error[toAnswer](call);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    ...cors.answer(request.headers.origin),
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': toChallenge(error.name, profile) }),
    // A client that waits for the word to send its body is told no, and sends none.
    ...(request.headers.expect !== undefined && { connection: 'close' }),
    ...headers,
    'content-length': Buffer.byteLength(text),
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(status);
  response.end(isHead(request) ? undefined : text);
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
function toChallenge(error: string, { storageHeaders }: FaultedCall['profile']): string {
  return error === 'StorageError'
    ? `ApiKey realm="mock", in="header", name="${storageHeaders.authorization}"`
    : 'Bearer realm="mock"';
}

function isHead({ method }: IncomingMessage): boolean {
  return method === 'HEAD';
}
