import { readFileSync } from 'node:fs';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import { afterAll, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';

const mock = await createMock();
afterAll(() => mock.close());

test.each(list.downloads)('$path is served as in the package', async ({ path, type, file }) => {
  const response = await fetch(`${mock.url}/__mock/${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  const text = readFileSync(new URL(`../../../spec/${file}`, import.meta.url), 'utf8');
  expect(await response.text()).toBe(text);
});

test('the control API lists them, with addresses that work', async () => {
  const { documents } = (await (await fetch(`${mock.url}/__mock/api/contract`)).json()) as {
    documents: { path: string; title: string; type: string }[];
  };
  expect(documents).toHaveLength(list.downloads.length);
  for (const { path, type } of documents) {
    const response = await fetch(mock.url + path, { method: 'HEAD' });
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      type,
    ]);
  }
});

test.each([
  ['openapi.json', 'the documents are gateway.v1/openapi.json, '],
  ['gateway.v1/openapi.jsn', 'do you mean gateway.v1/openapi.json?'],
  ['gateway.v1/..%2f..%2fpackage.json', 'the documents are '],
])('a request for %s gets a hint', async (path, hint) => {
  const response = await fetch(`${mock.url}/__mock/${path}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining(hint) });
});
