import { constantFrom } from 'fast-check';
import { STORAGE_OPERATIONS, type StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { brokenJson } from '../support/arbitraries.ts';
import { forAll } from '../support/for-all.ts';
import { sampleRequest } from '../support/sample-request.ts';
import { callWrongly, expectRefusal } from './expect-refusal.ts';

/** Deep enough for a parser that calls itself. */
const DEPTH = 10_000;

export const stBadJson = defineCheck('ST-BAD-JSON', [], async (t) => {
  await Promise.all(STORAGE_OPERATIONS.map((operation) => sendTable(t, operation)));
  const broken = constantFrom(...STORAGE_OPERATIONS).chain((operation) =>
    brokenJson(toText(t, operation)).map((body) => ({ operation, body })),
  );
  await forAll(t, broken, async ({ operation, body }, expect) => {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(expect, reply, `${operation}, the body is no JSON`);
  });
});

function toText(t: Trial, operation: StorageOperation): string {
  return t.storage.body(sampleRequest(t, operation));
}

/**
 * Not among them: a byte order mark, which RFC 8259 lets a parser ignore; bytes that are no UTF-8, which
 * many parsers replace; and names that stand twice, which are JSON.
 */
async function sendTable(t: Trial, operation: StorageOperation): Promise<void> {
  const text = toText(t, operation);
  const number = t.storage.maxAge(60);
  const bodies: Record<string, string> = {
    nothing: '',
    'spaces alone': '  \n',
    'a word': 'nothing',
    'a form': 'path=a.txt&fileList=a.txt',
    XML: '<request><path>a.txt</path></request>',
    'a text cut in the middle': text.slice(0, Math.floor(text.length / 2)),
    'a text without its last character': text.slice(0, -1),
    'something after the end': `${text}x`,
    'two bodies': text + text,
    'a comma before the end': text.replace(/\}$/, ',}'),
    'single quotes': text.replaceAll('"', "'"),
    'names without quotes': text.replace(/"(\w+)":/g, '$1:'),
    'a comment': `${text}// end`,
    'a line break inside a string': text.replace('sample', 'sam\nple'),
    'an unknown escape': text.replace('sample', '\\x73ample'),
    [`${DEPTH} brackets that do not close`]: '['.repeat(DEPTH),
    [`${DEPTH} objects that do not close`]: '{"a":'.repeat(DEPTH),
  };
  if (operation === 'batchGetTempUrls') {
    for (const word of ['NaN', 'Infinity', '0x3C', '060', '.5']) {
      bodies[`${word} for a number`] = text.replace(`:${number}`, `:${word}`);
    }
  }
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await callWrongly(t, operation, body);
    expectRefusal(t.expect, reply, `${operation}, the body is no JSON (${what})`);
  }
}
