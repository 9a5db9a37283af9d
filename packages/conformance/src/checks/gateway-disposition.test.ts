import { expect, test } from 'vitest';
import { listDispositionTypes } from './gateway-disposition.ts';

test.each([
  [[], []],
  [[''], []],
  [['attachment'], ['attachment']],
  [['ATTACHMENT ; filename=a.txt'], ['attachment']],
  [['attachment; filename="a, inline; \\" b.txt"'], ['attachment']],
  [['inline, attachment'], ['inline', 'attachment']],
  [
    ['attachment', 'Inline; filename="a"'],
    ['attachment', 'inline'],
  ],
])('%j has the types %j', (headers, types) => {
  expect(listDispositionTypes(headers)).toEqual(types);
});
