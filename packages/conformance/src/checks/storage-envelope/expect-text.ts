import type { Trial } from '../../trial/trial.ts';
import { show } from '../support/entries.ts';
import type { Answer } from './answers.ts';

/** Expects a field of the body to be a string wherever it is present. */
export async function expectText(
  t: Trial,
  field: string,
  answers: AsyncIterable<Answer>,
): Promise<void> {
  let seen = 0;
  for await (const { what, reply } of answers) {
    const value = reply.body?.[field];
    if (value !== undefined) seen += 1;
    const holds = value === undefined || typeof value === 'string';
    t.expect(holds, `${what}: ${field} must be a string, not ${show(value)}`, reply);
  }
  if (seen === 0) t.note(`No answer had the field ${field}.`);
}

/** Expects a field in the body of every answer, of whatever type. */
export async function expectPresent(
  t: Trial,
  field: string,
  answers: AsyncIterable<Answer>,
): Promise<void> {
  let judged = 0;
  for await (const { what, reply } of answers) {
    if (reply.body === undefined) continue;
    judged += 1;
    const value = reply.body[field] ?? undefined;
    t.expect(value !== undefined, `${what}: the body should have ${field}`, reply);
  }
  t.reach(judged > 0, 'no answer had a body to look into');
}
