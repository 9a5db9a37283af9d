import { expect, test } from 'vitest';
import { applyDispositionRules } from '../src/gateway/disposition.ts';

test.each<[sent: string | string[], expected: string]>([
  ['attachment; filename="a;b.txt"', 'attachment; filename="a;b.txt"'],
  [
    "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
    "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
  ],
  ['attachment; filename="say \\"hi\\".txt"', 'attachment; filename="say \\"hi\\".txt"'],
  ['inline', 'attachment'],
  ['inline; filename=attachment', 'attachment'],
  ['attachmentx', 'attachment'],
  ['attachment, inline', 'attachment'],
  ['form-data; name="x"', 'attachment'],
  ['', 'attachment'],
  [['inline', 'attachment; filename=a.txt'], 'attachment; filename=a.txt'],
  // Of headers that were joined, only the file name is kept.
  ['attachment; filename="a.html", inline', 'attachment; filename=a.html'],
  ['attachment; filename=a.html, inline; filename="b"', 'attachment; filename="a.html, inline"'],
  ['attachment; filename="a, b.txt"', 'attachment; filename="a, b.txt"'],
])("the service's own %j becomes %j", (sent, expected) => {
  const headers = { 'content-disposition': sent };
  applyDispositionRules({ method: 'GET', headers: {} }, headers);
  expect(headers['content-disposition']).toBe(expected);
});
