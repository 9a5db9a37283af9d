import type { Trial } from '../../trial/trial.ts';
import type { Answer } from './answers.ts';

/**
 * What is judged of answers that the operator has declared to be flat, instead of what only an envelope
 * has: `data`, or a `code`, stands at their top level.
 */
export async function judgeFlat(t: Trial, answers: AsyncIterable<Answer>): Promise<void> {
  t.note('The answers are declared to be flat, so they have neither statusCode nor body.');
  for await (const { what, reply } of answers) {
    const { envelope } = reply;
    const isFlat = envelope !== undefined && ('data' in envelope || 'code' in envelope);
    t.expect(isFlat, `${what}: a flat answer must have data or code at its top level`, reply);
  }
}
