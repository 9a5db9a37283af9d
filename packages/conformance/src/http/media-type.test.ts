import { expect, test } from 'vitest';
import { listDispositionTypes, matchesMediaType } from './media-type.ts';

test.each([
  ['application/json', 'application/json', true],
  ['application/json; charset=utf-8', 'application/json', true],
  ['Application/JSON ;a=b', 'application/json', true],
  ['text/plain', 'application/json', false],
  ['image/png', 'image/*', true],
  ['image/png', '*/*', true],
  ['application/json-seq', 'application/json', false],
  ['json', 'application/json', false],
  ['', '*/*', false],
])('%j fits %j: %j', (contentType, documented, fits) => {
  expect(matchesMediaType(contentType, documented)).toBe(fits);
});

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
