import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';

/** A refused storage call in the form of the contract. */
export function toStorageRefusal(status: number, code: string): MutatedAnswer {
  return toStorageAnswer(status, { code, message: 'refused by a mutant' });
}

/** The answer to a storage call; `body` is what stands in the envelope beside `requestId`. */
export function toStorageAnswer(status: number, body: object): MutatedAnswer {
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  return new MutatedAnswer(
    status,
    headers,
    JSON.stringify({ statusCode: status, body: { requestId, ...body } }),
  );
}
