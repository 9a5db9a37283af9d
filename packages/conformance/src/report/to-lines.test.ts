import { expect, test } from 'vitest';
import type { Result } from '../result.ts';
import { toLines } from './to-lines.ts';

const place = {
  name: 'storage batchDelete 200',
  api: 'storage',
  operationId: 'batchDelete',
} as const;

test('a skip is one line with its reason, in capitals where it was required', () => {
  const skip: Result = { ...place, status: '200', outcome: 'skip', reason: 'why', findings: [] };
  expect(toLines(skip)).toEqual(['skip  storage batchDelete 200: why']);
  expect(toLines({ ...skip, required: true })).toEqual(['SKIP  storage batchDelete 200: why']);
});

test('a failure is shown with its evidence, and a hostile body does not reach the terminal', () => {
  const lines = toLines({
    ...place,
    status: '200',
    outcome: 'fail',
    findings: [{ message: 'statusCode must be number', where: 'storage.v2 #/x' }],
    request: { method: 'POST', url: 'http://a/b', headers: { Accept: 'a/b' }, body: '{}' },
    answer: {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `\u001b[2J${'x'.repeat(600)}`,
      bodyEncoding: 'utf-8',
    },
  });
  expect(lines).toEqual([
    'fail  storage batchDelete 200',
    '      sent      POST http://a/b',
    '                Accept: a/b',
    '                {}',
    '      came      200 text/plain',
    `                 [2J${'x'.repeat(496)} … (604 characters)`,
    '      contract  statusCode must be number',
    '                storage.v2 #/x',
  ]);
});
