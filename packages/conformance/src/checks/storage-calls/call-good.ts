import type { StorageReply } from '../../trial/read-reply.ts';
import type { StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import type { GoodFields } from '../support/good-fields.ts';

/** Statuses that say that a method is not taken (RFC 9110, sections 15.5.6 and 15.6.2). */
const METHOD_REFUSED = new Set([405, 501]);

/**
 * What became of a good POST: accepted; refused for its method; refused as a call of an operation that
 * does not exist is; or refused otherwise.
 */
export type Fate = 'accepted' | 'method' | 'no operation' | 'refused';

export async function callGood(
  t: Trial,
  operation: StorageOperation,
  fields: GoodFields,
): Promise<{ reply: StorageReply; fate: Fate }> {
  const options = { acceptsRefusal: true };
  const reply = await t.storage.call(operation, fields[operation], options);
  if (!reply.refused) return { reply, fate: 'accepted' };
  if (METHOD_REFUSED.has(reply.received.status)) return { reply, fate: 'method' };
  const unknown = await t.storage.call(t.uniqueName(), fields[operation], options);
  const isAlike = unknown.received.status === reply.received.status && unknown.code === reply.code;
  return { reply, fate: isAlike ? 'no operation' : 'refused' };
}

/** Ends a check that needs a good call of every operation where one is refused: that is for other rules. */
export async function reachAll(t: Trial, fields: GoodFields): Promise<void> {
  for (const operation of Object.keys(fields) as StorageOperation[]) {
    const { reply, fate } = await callGood(t, operation, fields);
    t.reach(
      fate === 'accepted',
      `a good call of ${operation} is refused with ${reply.received.status} ${reply.code ?? ''}`,
    );
  }
}
