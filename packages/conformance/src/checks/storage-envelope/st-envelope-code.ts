import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { failures } from './answers.ts';

export const stEnvelopeCode = defineCheck(
  'ST-ENVELOPE-CODE',
  ['storageCredentials'],
  async (t: Trial) => {
    let judged = 0;
    for await (const { what, reply } of failures(t)) {
      if (reply.body === undefined) continue;
      judged += 1;
      const { code, data } = reply.body;
      t.expect(
        typeof code === 'string',
        `${what}: code must be a string, not ${show(code)}`,
        reply,
      );
      t.expect(data === undefined, `${what}: there must be no data, not ${show(data)}`, reply);
    }
    t.reach(judged > 0, 'no failure had a body to look into');
  },
);
