import { expect, test } from 'vitest';
import { applyDispositionRules } from '../src/disposition.ts';

function dispositionOf(method: string, sent: string | string[]) {
  const headers = { 'content-disposition': sent };
  applyDispositionRules({ method, headers: {} }, headers);
  return headers['content-disposition'];
}

test.each([
  'attachment; filename="a;b.txt"',
  "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
  'attachment; filename="say \\"hi\\".txt"',
])("the service's own %s is kept", (own) => {
  expect(dispositionOf('GET', own)).toBe(own);
});

test.each([
  'inline',
  'inline; filename=attachment',
  'attachmentx',
  'attachment, inline',
  'form-data; name="x"',
  '',
])("the service's own %j is replaced", (own) => {
  expect(dispositionOf('GET', own)).toBe('attachment');
});

test('several headers become one, and an attachment takes precedence', () => {
  const own = ['inline', 'attachment; filename=a.txt'];
  expect(dispositionOf('GET', own)).toBe('attachment; filename=a.txt');
});

test.each([
  ['attachment; filename="a.html", inline', 'attachment; filename=a.html'],
  [
    'attachment; filename=a.html, inline; filename="b.html"',
    'attachment; filename="a.html, inline"',
  ],
  ['attachment; filename="a, b.txt"', 'attachment; filename="a, b.txt"'],
])('of headers that were joined, only the file name is kept: %s', (own, expected) => {
  expect(dispositionOf('GET', own)).toBe(expected);
});
