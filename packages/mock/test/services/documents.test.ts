import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServicesError } from '../../src/util/source-file.ts';
import { get, startServices } from './start-services.ts';

// `test/documents.test.ts` tests how a document is served.
const DOCUMENT = `openapi: 3.1.0
info: { title: Orders, version: '1' }
servers: [{ url: https://orders.example/api }]
security: [{ key: [] }]
paths:
  /items:
    get:
      responses:
        200: { description: ok, content: { application/json: { example: [{ id: 1, name: Anchor }] } } }
        404: { description: none, content: { text/plain: { example: nothing } } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      responses: { 200: { description: ok, content: { application/json: { schema: { const: hi } } } } }
    delete: { responses: { 204: { description: gone } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
`;

async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-documents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('a document defines GET and POST routes, whose responses Prefer selects', async () => {
  await using started = await startServices(await writeFiles({ 'orders.openapi.yaml': DOCUMENT }));
  const ask = async (path: string, headers = {}) => {
    const response = await get(started, `orders${path}`, { headers });
    return [response.status, await response.text()];
  };
  expect(started.services.find('orders')?.routes.map(({ text }) => text)).toEqual([
    'GET /items',
    'GET /items/{id}',
  ]);
  expect(await ask('/items')).toEqual([200, '[{"id":1,"name":"Anchor"}]']);
  // A string that is JSON is quoted.
  expect(await ask('/items/42')).toEqual([200, '"hi"']);
  expect(await ask('/items/two')).toEqual([422, '{"message":"path.id must be an integer."}']);
  expect(await ask('/items', { prefer: 'code=404' })).toEqual([404, 'nothing']);
  expect((await ask('/items', { prefer: 'code=99' }))[0]).toBe(400);
  expect((await ask('/items', { prefer: 'code=410' }))[0]).toBe(404);
});

test('routes of a file of the same name take precedence', async () => {
  const folder = await writeFiles({
    'orders.openapi.yaml': DOCUMENT,
    'orders.yaml': 'routes: { "GET /items/{other}": { text: mine }, "GET /new": { text: new } }',
  });
  await using started = await startServices(folder);
  const read = async (path: string) => (await get(started, `orders${path}`)).text();
  expect([await read('/items/1'), await read('/new')]).toEqual(['mine', 'new']);
  expect(await read('/items')).toContain('Anchor');
});

test.each([
  [
    'another version',
    'openapi: 4.0.0',
    'orders.openapi.yaml:1:1: openapi must be 3.0 or 3.1, got 4.0.0.',
  ],
  ['no object', '[]', 'orders.openapi.yaml:1:1: The service must be an OpenAPI document.'],
  [
    'a reference to another file',
    'openapi: 3.1.0\npaths:\n  /a: { $ref: "./a.yaml" }',
    ':3:9: paths["/a"]["$ref"] points to a file that cannot be read, and is ignored: "./a.yaml"',
  ],
])('reports the place of %s', async (_, text, expected) => {
  const started = startServices(await writeFiles({ 'orders.openapi.yaml': text }));
  await expect(started).rejects.toThrow(ServicesError);
  await expect(started).rejects.toThrow(expected);
});
