import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';

/** An error of the gateway in the form of the contract. */
export function toRefusal(status: number, code: string): MutatedAnswer {
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  const body = JSON.stringify({ code, message: 'refused by a mutant', requestId });
  return new MutatedAnswer(status, headers, body);
}

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

/** An error of the upload target in the form of the contract. */
export function toUploadError(status: number, code: string): MutatedAnswer {
  const error = `<Error><Code>${code}</Code><Message>refused by a mutant</Message></Error>`;
  return new MutatedAnswer(status, { 'Content-Type': 'application/xml' }, error);
}
