import type { StorageReply } from '../../trial/read-reply.ts';
import type { StorageCallOptions, StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import type { ExpectOne } from '../support/for-all.ts';

/** Sends a body that is wrong, and takes whatever comes. */
export function callWrongly(
  t: Trial,
  operation: StorageOperation,
  body: string | Uint8Array,
  options: StorageCallOptions = {},
): Promise<StorageReply> {
  return t.storage.call(operation, {}, { ...options, body, acceptsRefusal: true });
}

/**
 * Judges the answer to a wrong body: 'refused, never 5xx, in the documented error shape' (D30).
 *
 * @param what the body, in words: `batchDelete, the body is an array`
 */
export function expectRefusal(expect: ExpectOne, reply: StorageReply, what: string): void {
  const { status } = reply.received;
  expect(status < 500, `${what}: must be refused, never with a 5xx, not ${status}`, reply);
  expect(reply.refused, `${what}: must be refused, not accepted with ${status}`, reply);
  const came = reply.envelope === undefined ? 'no JSON object' : 'an answer without one';
  const hasCode = reply.code !== undefined;
  expect(hasCode, `${what}: ${status} must come in the envelope with a code, not ${came}`, reply);
}
