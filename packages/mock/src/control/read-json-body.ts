import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/**
 * Reads the JSON body of a call.
 *
 * @returns undefined where there is no body
 * @throws Problem 413, 415 or 400
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (headers['transfer-encoding'] === undefined && length === 0) return undefined;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  // A page of another site can send every other type without being asked.
  if (type !== 'application/json') {
    throw new Problem(415, 'Send the body as application/json.', { field: 'Content-Type' });
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving a plain `for await` would destroy the socket before the problem is written.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw new Problem(400, `The body is no JSON: ${(error as Error).message}.`);
  }
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `The body is larger than ${maxBytes} bytes.`);
}
