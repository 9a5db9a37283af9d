import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { everyAnswer } from './answers.ts';
import { judgeFlat } from './judge-flat.ts';

export const stEnvelopeStatusCode = defineCheck(
  'ST-ENVELOPE-STATUS-CODE',
  ['storageCredentials'],
  async (t) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, everyAnswer(t));
    for await (const { what, reply } of everyAnswer(t)) {
      const value = reply.envelope?.statusCode;
      const isNumber = typeof value === 'number';
      t.expect(isNumber, `${what}: statusCode must be a number, not ${show(value)}`, reply);
    }
  },
);
