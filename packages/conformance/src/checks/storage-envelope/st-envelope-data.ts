import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { successes } from './answers.ts';

export const stEnvelopeData = defineCheck(
  'ST-ENVELOPE-DATA',
  ['storageCredentials'],
  async (t: Trial) => {
    let judged = 0;
    for await (const { what, reply } of successes(t)) {
      if (reply.body === undefined) continue;
      judged += 1;
      const { data } = reply.body;
      t.expect(
        reply.data !== undefined,
        `${what}: data must be an object, not ${show(data)}`,
        reply,
      );
    }
    // An empty list may be refused, but it is no reason for a success without data.
    const empty = await t.storage.call('batchGetTempUrls', { fileList: [] });
    const isSuccess = empty.body !== undefined && !empty.refused;
    const came = show(empty.body?.data);
    if (isSuccess) {
      const message = `batchGetTempUrls of no file: data must be an object, not ${came}`;
      t.expect(empty.data !== undefined, message, empty);
    }
    t.reach(judged > 0, 'no success had a body to look into');
  },
);
