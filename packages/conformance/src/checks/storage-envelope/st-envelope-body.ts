import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { everyAnswer } from './answers.ts';
import { judgeFlat } from './judge-flat.ts';

export const stEnvelopeBody = defineCheck('ST-ENVELOPE-BODY', ['storageCredentials'], async (t) => {
  if (t.settings.envelope === 'flat') return judgeFlat(t, everyAnswer(t));
  for await (const { what, reply } of everyAnswer(t)) {
    const value = reply.envelope?.body;
    t.expect(
      reply.body !== undefined,
      `${what}: body must be an object, not ${show(value)}`,
      reply,
    );
  }
});
