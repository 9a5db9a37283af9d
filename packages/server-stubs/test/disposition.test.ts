import { expect, test } from 'vitest';
import { applyDispositionRules } from '../src/http/headers.ts';

function dispositionOf(method: string, headers: Parameters<typeof applyDispositionRules>[1]) {
  return applyDispositionRules({ method, headers: {} }, headers)['content-disposition'];
}

test.each([
  ['HEAD', 'text/plain'],
  ['POST', undefined],
  ['GET', 'text/event-stream, text/html'],
])('%s %s is an attachment (C1, C2)', (method, type) => {
  expect(dispositionOf(method, { 'content-type': type })).toBe('attachment');
});

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
  'attachment; filename="a.txt',
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

test("a service's own disposition is removed if no rule requires one", () => {
  const headers = { 'content-type': 'text/plain', 'CONTENT-DISPOSITION': 'inline' };
  expect(dispositionOf('POST', headers)).toBeUndefined();
  expect(headers).toHaveProperty('CONTENT-DISPOSITION');
});

test('a hostile header is handled in linear time', () => {
  const own = `attachment${'; "'.repeat(20_001)}`;
  expect(dispositionOf('GET', { 'content-disposition': own }) === own).toBe(false);
});
