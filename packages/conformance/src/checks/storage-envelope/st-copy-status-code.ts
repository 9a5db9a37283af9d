import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { toCopyItems } from '../support/copies.ts';
import { type Answer, failures, successes } from './answers.ts';
import { judgeFlat } from './judge-flat.ts';

/** Whether that is a success of the call is open, but not that both say the same. */
const PARTLY = 'batchCopyFile of a missing file';

export const stCopyStatusCode = defineCheck(
  'ST-COPY-STATUS-CODE',
  ['storageCredentials', 'writes'],
  async (t: Trial) => {
    if (t.settings.envelope === 'flat') return judgeFlat(t, copyAnswers(t));
    let judged = 0;
    for await (const { what, reply } of copyAnswers(t)) {
      const value = reply.envelope?.statusCode;
      // That it is there, and a number, is ST-ENVELOPE-STATUS-CODE.
      if (typeof value !== 'number') continue;
      judged += 1;
      const { status } = reply.received;
      const equals = `${what}: statusCode must equal the HTTP status ${status}, not be ${value}`;
      t.expect(value === status, equals, reply);
      const isWhole = what !== PARTLY && reply.data !== undefined;
      const isSuccess = isWhole && status >= 200 && status <= 299;
      if (isSuccess) t.expect(value === 200, `${what}: it must be 200, not ${value}`, reply);
    }
    t.reach(judged > 0, 'no answer to a copy call had a statusCode');
  },
);

async function* copyAnswers(t: Trial): AsyncGenerator<Answer> {
  yield* failures(t, ['batchCopyFile']);
  for await (const answer of successes(t)) {
    if (answer.operation === 'batchCopyFile') yield answer;
  }
  const [from, to] = ['missing.txt', 'never.txt'].map((name) => t.storage.path(name));
  const fileList = toCopyItems(t, [{ from: `${from}`, to: `${to}` }]);
  const reply = await t.storage.call('batchCopyFile', { fileList });
  yield { what: PARTLY, operation: 'batchCopyFile', reply };
}
