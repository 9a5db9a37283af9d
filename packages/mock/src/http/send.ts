import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** How long the rest of a refused body is read and thrown away before the connection is closed. */
const LINGER_MS = 2_000;
/** The rest of a body up to this size is read anyhow, so that the connection can be kept. */
const SMALL_BODY_BYTES = 65_536;

/**
 * Writes an answer; Node leaves the body out for HEAD, 204 and 304. Where the request still sends a
 * body that nobody reads, the answer goes out at once and the rest is thrown away for a while: a
 * connection closed under a sending client would lose the answer.
 */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body = '' } = answer;
  const bodiless = status === 204 || status === 304;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (bodiless) response.removeHeader('content-type');
  else if (!response.hasHeader('content-length'))
    response.setHeader('content-length', Buffer.byteLength(body));
  const linger = isBodyPending(request);
  if (linger) response.setHeader('connection', 'close');
  response.writeHead(status);
  response.write(body);
  if (linger) endLater(request, response);
  else response.end();
}

function isBodyPending({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  if (headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES;
}

function endLater(request: IncomingMessage, response: ServerResponse): void {
  const end = () => response.end();
  const timer = setTimeout(end, LINGER_MS).unref();
  request
    .once('close', () => clearTimeout(timer))
    .once('end', end)
    .resume();
}
