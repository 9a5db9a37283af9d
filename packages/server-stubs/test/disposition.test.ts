import { expect, test } from 'vitest';
import { applyDispositionRules } from '../src/disposition.ts';

function dispositionOf(method: string, headers: Parameters<typeof applyDispositionRules>[1]) {
  return applyDispositionRules({ method, headers: {} }, headers)['content-disposition'];
}

test.each([
  'attachment; filename="a;b.txt"',
  "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
  'attachment; filename="say \\"hi\\".txt"',
])("the service's own %s is kept", (own) => {
  expect(dispositionOf('GET', { 'Content-Disposition': own })).toBe(own);
});

test.each([
  'inline',
  'inline; filename=attachment',
  'attachmentx',
  'attachment, inline',
  'form-data; name="x"',
  '',
])("the service's own %j is replaced", (own) => {
  expect(dispositionOf('GET', { 'content-disposition': own })).toBe('attachment');
});

test('several headers become one, and an attachment takes precedence', () => {
  const own = ['inline', 'attachment; filename=a.txt'];
  expect(
    applyDispositionRules(
      { method: 'GET', headers: {} },
      { 'Content-Disposition': own, etag: '"1"' },
    ),
  ).toEqual({ etag: '"1"', 'content-disposition': 'attachment; filename=a.txt' });
});

test.each([
  ['attachment; filename="a.html", inline', 'attachment; filename=a.html'],
  [
    'attachment; filename=a.html, inline; filename="b.html"',
    'attachment; filename="a.html, inline"',
  ],
  ['attachment; filename="a, b.txt"', 'attachment; filename="a, b.txt"'],
])('of headers that were joined, only the file name is kept: %s', (own, expected) => {
  expect(dispositionOf('GET', { 'content-disposition': own })).toBe(expected);
});
