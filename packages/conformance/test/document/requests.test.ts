import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createGenerator } from '../../src/document/generate.ts';
import { loadDocument } from '../../src/document/load-document.ts';
import { listOperations, type Operation, type Parameter } from '../../src/document/plan.ts';
import { writeRequest } from '../../src/document/write-request.ts';
import { createConformance } from '../../src/index.ts';
import { closeServer, listen } from '../support/listen.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const LIST = ['a', 'b c'];
const OBJECT = { x: 1, y: 'z' };
const FORM = 'application/x-www-form-urlencoded';
const OPERATION = {
  method: 'GET',
  path: '/',
  parameters: [],
  responses: [],
} as object as Operation;

// The examples of OpenAPI 3.1.1, section 4.8.12.5, with other values.
test.each<[Parameter['in'], string, boolean, unknown, string]>([
  ['path', 'simple', false, LIST, '/a,b%20c'],
  ['path', 'simple', true, OBJECT, '/x=1,y=z'],
  ['path', 'simple', false, OBJECT, '/x,1,y,z'],
  ['path', 'label', true, LIST, '/.a.b%20c'],
  ['path', 'matrix', false, LIST, '/;p=a,b%20c'],
  ['path', 'matrix', true, LIST, '/;p=a;p=b%20c'],
  ['path', 'matrix', true, OBJECT, '/;x=1;y=z'],
  ['query', 'form', true, LIST, '/?p=a&p=b%20c'],
  ['query', 'form', false, LIST, '/?p=a,b%20c'],
  ['query', 'form', true, OBJECT, '/?x=1&y=z'],
  ['query', 'form', false, OBJECT, '/?p=x,1,y,z'],
  ['query', 'spaceDelimited', false, LIST, '/?p=a%20b%20c'],
  ['query', 'pipeDelimited', false, LIST, '/?p=a%7Cb%20c'],
  ['query', 'deepObject', true, OBJECT, '/?p[x]=1&p[y]=z'],
])('a parameter in %s, %s, explode %s: %j', async (place, style, explode, value, target) => {
  const parameter = { key: 'p', name: 'p', in: place, style, explode } as Parameter;
  const path = place === 'path' ? '/{p}' : '/';
  const operation = { ...OPERATION, path, parameters: [parameter] };
  const draft = { parameters: { p: value } };
  const call = await writeRequest('http://a.example/base/', operation, draft);
  expect(call).toMatchObject({ origin: 'http://a.example', target: `/base${target}` });
});

test.each([
  ['application/json', { a: 'ü' }, 'application/json', '{"a":"ü"}'],
  [FORM, { a: 'b c', d: 1 }, FORM, 'a=b+c&d=1'],
  ['text/*', 'a', 'text/plain', 'a'],
])('a body of %s', async (mediaType, body, type, text) => {
  const call = await writeRequest('http://a', OPERATION, { parameters: {}, mediaType, body });
  expect(call.headers).toContainEqual(['Content-Type', type]);
  expect(call.body.toString()).toBe(text);
});

test.each([
  [['text/html'], '*/*'],
  [['application/xml', 'application/json'], 'application/json, */*;q=0.5'],
])('responses of %j', async (types, accept) => {
  const content = types.map((mediaType) => ({ mediaType }));
  const operation = { ...OPERATION, responses: [{ content }] } as Operation;
  const call = await writeRequest('http://a', operation, { parameters: {} });
  expect(call.headers).toEqual([['Accept', accept]]);
});

test.each([{ pattern: '[a-f\\d]{24}' }, { pattern: '^(me|[a-z]{20,}(-[a-z]+)*)$', maxLength: 30 }])(
  'valid requests for a long pattern: %j',
  async (schema) => {
    await using folder = await makeTemporaryFolder();
    const file = join(folder.path, 'api.json');
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', ...schema } },
    ];
    const get = { parameters, responses: { '200': { description: 'It.' } } };
    await writeFile(file, JSON.stringify({ openapi: '3.1.1', paths: { '/{id}': { get } } }));
    const document = await loadDocument(file, 'document');
    const [operation] = listOperations(document);
    expect(createGenerator(document, operation as Operation, 1).valid(3)).toHaveLength(3);
  },
);

/** Checks a server that responds to every request in one way. */
async function check(openapi: string, content: object, type: string, body: string) {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'api.json');
  const get = { responses: { '200': { description: 'It.', content: { [type]: content } } } };
  const info = { title: 'It', version: '1' };
  await writeFile(file, JSON.stringify({ openapi, info, paths: { '/it': { get } } }));
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  onTestFinished(() => closeServer(server));
  const { results } = await createConformance({ document: file, url: await listen(server) }).run();
  return results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}

const NULLABLE = { schema: { type: 'string', nullable: true, enum: ['a'] } };
const ABOVE_0 = { schema: { type: 'number', minimum: 0, exclusiveMinimum: true } };
const SECRET = {
  schema: {
    type: 'object',
    required: ['id', 'password'],
    properties: { id: { type: 'integer' }, password: { type: 'string', writeOnly: true } },
  },
};
const EVENT = {
  itemSchema: {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'string', contentSchema: { type: 'number' } } },
  },
};

test.each([
  ['3.0.3', NULLABLE, 'application/json', 'null', []],
  ['3.0.3', NULLABLE, 'application/json', '"b"', ['DOC-SCHEMA GET /it']],
  ['3.0.3', ABOVE_0, 'application/json', '0.1', []],
  ['3.0.3', ABOVE_0, 'application/json', '0', ['DOC-SCHEMA GET /it']],
  ['3.1.0', SECRET, 'application/json', '{"id":1}', []],
  ['3.1.0', SECRET, 'application/json', '{"password":"x"}', ['DOC-SCHEMA GET /it']],
  ['3.2.0', EVENT, 'text/event-stream', 'data: 1\n\n', []],
  ['3.2.0', EVENT, 'text/event-stream', 'data: 1\n\ndata: "x"\n\n', ['DOC-SSE GET /it']],
])('OpenAPI %s: %j, %s %s', async (openapi, content, type, body, failed) => {
  expect(await check(openapi, content, type, body)).toEqual(failed);
});
