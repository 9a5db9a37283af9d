import { NetworkFault } from '../../http/network-fault.ts';
import type { StorageReply } from '../../trial/read-reply.ts';
import type { StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { callWrongly, expectRefusal } from './expect-refusal.ts';

const SIZE = 262_144;
/** A connection that is closed while a large body is still being sent is a refusal too. */
const CUT_OFF = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);
/** Statuses of a server in front of the API, which may know nothing of the envelope. */
const TOO_LARGE = 413;

/** Sends a text of 256 KiB in place of a list. Limits of the size are not fixed, so any refusal will do. */
export async function expectLargeRefused(t: Trial, operation: StorageOperation): Promise<void> {
  const what = `${operation}, fileList is a string of ${SIZE} bytes`;
  let reply: StorageReply;
  try {
    reply = await callWrongly(t, operation, t.storage.body({ fileList: 'a'.repeat(SIZE) }));
  } catch (error) {
    if (error instanceof NetworkFault && CUT_OFF.has(error.code)) return;
    throw error;
  }
  if (reply.received.status === TOO_LARGE) return;
  expectRefusal(t.expect, reply, what);
}
