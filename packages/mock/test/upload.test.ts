import { afterAll, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { getGrant, toForm } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());

test.each([
  ['code=204', 204, ''],
  ['code=403', 403, '<Code>AccessDenied</Code>'],
  ['code=503', 503, '<Code>SlowDown</Code>'],
  ['code=500, dynamic=true', 500, '<Error><Code>'],
])('Prefer: %s returns what is documented, and stores nothing', async (prefer, status, text) => {
  const grant = await getGrant(mock, 'a.txt');
  const form = new FormData();
  for (const [name, value] of Object.entries(toForm(grant, 'a.txt'))) form.append(name, value);
  form.append('file', new Blob(['x']), 'a.txt');
  const headers = { prefer, accept: 'application/json' };
  const response = await fetch(grant.url, { method: 'POST', headers, body: form });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
  expect(mock.session().files.list()).toEqual([]);
});
