import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServicesError } from '../../src/util/source-file.ts';
import { startServices } from './start-services.ts';

const DOCUMENT = `openapi: 3.2.0
info: { title: Orders, version: '1' }
servers: [{ url: https://orders.example/api }]
security: [{ key: [] }]
paths:
  /items:
    get:
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses:
        200: { description: ok, content: { application/json: { example: [{ id: 1, name: Anchor }] } } }
        404: { description: none, content: { text/plain: { example: nothing } } }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } }
      responses:
        201: { description: ok }
        400: { description: bad, content: { application/json: { example: { problem: yes } } } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      responses:
        200: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
    delete: { responses: { 204: { description: gone } } }
  /prices:
    get:
      responses:
        200:
          description: ok
          content:
            text/event-stream:
              itemSchema:
                type: object
                properties:
                  data:
                    contentSchema: { type: object, properties: { price: { type: number, const: 3.5 } }, required: [price] }
components:
  schemas:
    Item:
      type: object
      required: [name]
      properties: { id: { type: integer, default: 7 }, name: { type: string, default: Rope } }
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
`;

async function writeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-documents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function startDocument(files: Readonly<Record<string, string>> = {}) {
  const folder = await writeFiles({ 'orders.openapi.yaml': DOCUMENT, ...files });
  const started = await startServices(folder);
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: 'Bearer t', ...init.headers };
    const response = await fetch(`${started.url}/v1/cloudrun/orders${path}`, { ...init, headers });
    const text = await response.text();
    return { response, status: response.status, text };
  };
  return { ...started, folder, call };
}

describe('a service with an OpenAPI document', () => {
  it('responds with examples and from schemas', async () => {
    await using service = await startDocument();
    const { call } = service;
    expect(await call('/items?limit=2')).toMatchObject({
      status: 200,
      text: '[{"id":1,"name":"Anchor"}]',
    });
    const { response, text } = await call('/items/42');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(text)).toEqual({ id: 7, name: 'Rope' });
    expect(await call('/items/42', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    const posted = await post(call, { name: 'Rope' });
    expect(posted).toMatchObject({ status: 201, text: '' });
    expect(posted.response.headers.has('content-type')).toBe(false);
    expect(service.services.find('orders')?.routes.map(({ text }) => text)).toEqual([
      'GET /items',
      'POST /items',
      'GET /prices',
      'GET /items/{id}',
    ]);
  });

  it('quotes strings that are JSON', async () => {
    const text = {
      description: 'ok',
      content: { 'application/json': { schema: { const: 'hi' } } },
    };
    const paths = { '/text': { get: { responses: { 200: text } } } };
    const orders = JSON.stringify({
      openapi: '3.1.1',
      info: { title: 'Text', version: '1' },
      paths,
    });
    await using service = await startDocument({ 'orders.openapi.yaml': orders });
    expect(await service.call('/text')).toMatchObject({ status: 200, text: '"hi"' });
  });

  it('honors the Prefer header', async () => {
    await using service = await startDocument();
    const prefer = (value: string) => service.call('/items', { headers: { prefer: value } });
    expect(await prefer('code=404')).toMatchObject({ status: 404, text: 'nothing' });
    expect(await prefer('code=99')).toMatchObject({ status: 400 });
    expect(await prefer('code=410')).toMatchObject({ status: 404 });
  });

  it('validates requests, and names the field', async () => {
    await using service = await startDocument();
    const { call } = service;
    expect(await call('/items?limit=two')).toMatchObject({
      status: 422,
      text: '{"message":"query.limit must be an integer."}',
    });
    const refused = await post(call, { id: 1 });
    expect(refused).toMatchObject({ status: 400, text: '{"problem":"yes"}' });
    expect(refused.response.headers.get('x-mock-violation')).toBe('body.name is missing.');
    expect(await call('/items/42', { method: 'POST' })).toMatchObject({ status: 405 });
  });

  it('sends events', async () => {
    await using service = await startDocument();
    const { response, text } = await service.call('/prices');
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(text).toBe('id: 1\ndata: {"price":3.5}\n\n');
  });

  it('lets routes of a file of the same name take precedence', async () => {
    await using service = await startDocument({
      'orders.yaml': 'routes: { "GET /items/{other}": { text: mine }, "GET /new": { text: new } }',
    });
    expect(await service.call('/items/1')).toMatchObject({ text: 'mine' });
    expect(await service.call('/new')).toMatchObject({ text: 'new' });
    expect(await service.call('/items')).toMatchObject({ status: 200 });
  });

  it.each([
    [
      'another version',
      'openapi: 4.0.0',
      'orders.openapi.yaml:1:1: openapi must be 3.0, 3.1 or 3.2, got 4.0.0.',
    ],
    ['no object', '[]', 'orders.openapi.yaml:1:1: The service must be an OpenAPI document.'],
    [
      'a reference to another file',
      'openapi: 3.1.0\npaths:\n  /a: { $ref: "./a.yaml" }',
      ':3:9: paths["/a"]["$ref"] points to a file that cannot be read, and is ignored: "./a.yaml"',
    ],
  ])('reports the place of %s', async (_, text, expected) => {
    const folder = await writeFiles({ 'orders.openapi.yaml': text });
    const started = startServices(folder);
    await expect(started).rejects.toThrow(ServicesError);
    await expect(started).rejects.toThrow(expected);
  });
});

function post(call: Awaited<ReturnType<typeof startDocument>>['call'], body: unknown) {
  const headers = { 'content-type': 'application/json' };
  return call('/items', { method: 'POST', body: JSON.stringify(body), headers });
}
