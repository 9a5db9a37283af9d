import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type JudgedCall, loadServiceDocument } from '../generator/service-document.ts';

const ORDERS = `
openapi: 3.1.1
info: { title: Orders, version: 1.0.0 }
servers: [{ url: 'https://orders.example.com/api' }]
security: [{ key: [] }]
paths:
  /items/{id}:
    get:
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: limit, in: query, schema: { type: integer, maximum: 10 } }
      responses:
        '200':
          description: The item.
          headers: { ETag: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } }
  /items:
    post:
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Item' } }
          application/octet-stream: {}
      responses:
        '201': { description: Created. }
components:
  schemas:
    Item: { type: object, required: [name], properties: { name: { type: string } } }
  securitySchemes: { key: { type: http, scheme: basic } }
`;

async function load(text: string, name = 'orders.openapi.yaml') {
  const folder = await mkdtemp(join(tmpdir(), 'berth-judge-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  await writeFile(file, text);
  return loadServiceDocument(file, 1024).catch((error: Error) => {
    error.message = error.message.replaceAll(`${folder}/`, '');
    throw error;
  });
}

const folder = await mkdtemp(join(tmpdir(), 'berth-judge-'));
await writeFile(join(folder, 'orders.yaml'), ORDERS);
const { judge } = await loadServiceDocument(join(folder, 'orders.yaml'), 1024);
await rm(folder, { recursive: true });

const JSON_HEADERS = { 'content-type': 'application/json', 'content-length': '2' };

function request(method: string, url: string, headers = {}): JudgedCall {
  return judge.request({ method, url, headers });
}

describe('requests', () => {
  test.each([
    ['GET', '/nothing', 'The path /nothing does not exist.'],
    ['POST', '/items/1', 'POST is not allowed here: use GET, HEAD.'],
    ['GET', '/items/x', 'path.id must be an integer.'],
    ['GET', '/items/1?limit=11', 'query.limit must be <= 10.'],
    ['GET', '/items/%ff', 'path.id has invalid percent-encoding.'],
  ])('%s %s is refused', (method, url, message) => {
    expect(() => request(method, url)).toThrow(message);
  });

  test('a request that the document allows is accepted, whatever its security and servers are', async () => {
    expect(request('GET', '/items/1').operationId).toBeDefined();
    expect(await request('HEAD', '/items/1?limit=3').body()).toBe('none');
  });

  test('bodies are validated', async () => {
    const post = request('POST', '/items', JSON_HEADERS);
    expect(await post.body()).toBe('read');
    await expect(post.readBody(Buffer.from('{}'))).rejects.toThrow('body.name is missing.');
    await expect(post.readBody(Buffer.from('{'))).rejects.toThrow('The JSON body cannot be parsed');
    await expect(post.readBody(Buffer.from('{"name":"Rope"}'))).resolves.toEqual({ name: 'Rope' });
  });

  test('bodies that are missing or have another type are refused; others are left unread', async () => {
    await expect(request('POST', '/items').body()).rejects.toThrow('The request body is missing.');
    const typed = (type: string, rest = {}) =>
      request('POST', '/items', { ...JSON_HEADERS, 'content-type': type, ...rest }).body();
    await expect(typed('text/plain')).rejects.toThrow('send one of application/json');
    expect(await typed('application/octet-stream')).toBe('unread');
    expect(await typed('application/json', { 'content-encoding': 'gzip' })).toBe('unread');
  });
});

describe('responses', () => {
  const headers = { 'content-type': 'application/json', etag: '"1"' };
  const respond = (status: number, given: object, body?: string, method = 'GET') =>
    request(method, '/items/1')
      .response(status, { ...given })
      .check(body === undefined ? undefined : Buffer.from(body))?.message;

  test.each([
    [200, headers, '{"name":1}', 'response.body.name must be a string.'],
    [200, headers, '{', 'The body is not valid JSON.'],
    [200, headers, '', 'The 200 response must have a body.'],
    [200, { 'content-type': 'application/json' }, '{"name":""}', 'The etag header is missing.'],
    [
      200,
      { ...headers, 'content-type': 'text/html' },
      '',
      'The media type is not documented for 200.',
    ],
    [404, headers, '{}', 'The status 404 is not documented.'],
  ])('%i %j %s is a violation', (status, given, body, message) => {
    expect(respond(status, given, body)).toBe(message);
  });

  test.each([
    [200, headers, '{"name":"a"}'],
    [200, { ...headers, 'content-encoding': 'gzip' }, undefined],
    [200, headers, '{"name":"a","size":12345678901234567890}'],
    [503, {}, 'down'],
  ])('%i %j %s is not', (status, given, body) => {
    expect(respond(status, given, body)).toBeUndefined();
  });

  test('only the head of a HEAD response is validated', () => {
    expect(respond(200, headers, undefined, 'HEAD')).toBeUndefined();
    expect(respond(200, {}, undefined, 'HEAD')).toBe('The etag header is missing.');
  });

  test('a response that documents no content may have any', () => {
    const created = request('POST', '/items').response(201, { 'content-type': 'text/plain' });
    expect(created).toMatchObject({ body: 'none' });
    expect(created.check()).toBeUndefined();
  });
});

describe('documents', () => {
  test.each([
    ['openapi: 2.0.0', 'orders.openapi.yaml:1:1: Only OpenAPI 3.0'],
    ['openapi: [', 'orders.openapi.yaml:1:11 is not valid YAML'],
    ['openapi: 3.1.1\npaths: {}', 'orders.openapi.yaml:2:1: '],
  ])('%j cannot be used', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
    await expect(load(text)).rejects.toHaveProperty('name', 'ServiceDocumentError');
  });
});
