import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type MockOptions } from '../src/index.ts';
import { control } from './helpers/calls.ts';
import { replaceFile, writeFiles } from './helpers/files.ts';
import { nextWarning } from './helpers/wait.ts';

const SHOP = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /pets:
    get:
      responses: { '200': { description: All., content: { application/json: { example: [{ name: Rex }] } } } }
    post: { responses: { '201': { description: The new pet. } } }
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get:
      responses:
        '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        '404': { description: None., content: { application/json: { example: { error: no such pet } } } }
    delete: { responses: { '204': { description: Gone. } } }
    options: { operationId: ask, responses: { '204': { description: Allowed. } } }
  /diff/{base}...{head}:
    parameters:
      - { name: base, in: path, required: true, schema: { type: string } }
      - { name: head, in: path, required: true, schema: { type: string } }
    get: { responses: { '200': { description: ok, content: { text/plain: { example: diff } } } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas: { Pet: { type: object, required: [kind], properties: { kind: { enum: [dog, cat] } } } }
`;

async function start(text = SHOP, options: MockOptions = {}) {
  const [document = ''] = await writeFiles({ 'shop.yaml': text });
  const mock = await createMock({ ...options, document });
  onTestFinished(() => mock.close());
  return {
    mock,
    document,
    async call(target: string, init: RequestInit = {}) {
      const response = await fetch(mock.url + target, init);
      const { status, headers } = response;
      const read = await response.text();
      const isJson = read !== '' && /json/.test(headers.get('content-type') ?? '');
      return { status, headers, body: isJson ? JSON.parse(read) : read };
    },
  };
}

describe('a document at the root', () => {
  it('is served without an operation that is invalid, and a warning says so', async () => {
    const warning = nextWarning();
    const { call } = await start(SHOP.replace('/diff/{base}...{head}', '/diff/{base'));
    expect(await warning).toMatch(/shop\.yaml:\d+:\d+ .*\n {2}This operation is not served: /);
    expect((await call('/pets')).status).toBe(200);
  });

  it.each([undefined, ['*']])('may be called with cookies by a page of %j', async (origins) => {
    const { call } = await start(SHOP, { origins });
    const origin = 'http://localhost:5173';
    for (const init of [{}, { method: 'OPTIONS' }, { headers: { 'x-mock-fault': 'code=BUSY' } }]) {
      const { headers } = await call('/pets', { ...init, headers: { ...init.headers, origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      // With cookies, browsers take `*` literally.
      if (!init.method)
        expect(headers.get('access-control-expose-headers')).toMatch(/x-request-id/i);
    }
  });

  it('responds without credentials, and honors the Prefer header', async () => {
    const { call } = await start();
    expect(await call('/pets')).toMatchObject({ status: 200, body: [{ name: 'Rex' }] });
    const prefer = (value: string) => call('/pets/1', { headers: { prefer: value } });
    expect(await prefer('code=404')).toMatchObject({ status: 404, body: { error: 'no such pet' } });
    expect((await prefer('dynamic=true')).body.kind).toMatch(/^(dog|cat)$/);
    expect(await call('/pets/1', { method: 'DELETE' })).toMatchObject({ status: 204, body: '' });
    expect(await call('/pets', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(await call('/diff/main...next')).toMatchObject({ status: 200, body: 'diff' });
    expect(await call('/api/v2/envs/dev/storages:batchDelete')).toMatchObject({ status: 404 });
    const { status, headers } = await call('/pets', { method: 'PUT' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
  });

  it('has no services, even if a path parameter is called name', async () => {
    const text = SHOP.replaceAll('petId', 'name').replace('type: integer', 'type: string');
    const { call, mock } = await start(text);
    mock.session().faults.put('rex', 'service:rex:code=SERVICE_TIMEOUT');
    expect(await call('/pets/rex')).toMatchObject({ status: 200 });
    expect(mock.session().requests()).toMatchObject([{ service: undefined, faults: [] }]);
  });

  it('matches faults only to its own operations, including OPTIONS', async () => {
    const { call, mock } = await start(SHOP, { faults: ['ask:code=SERVICE_TIMEOUT'] });
    const { faults } = mock.session();
    expect(await call('/pets/1', { method: 'OPTIONS' })).toMatchObject({ status: 504 });
    expect(await call('/pets', { method: 'OPTIONS' })).toMatchObject({ status: 204 });
    expect(() => faults.put('a', 'asks:reset')).toThrow('Did you mean ask?');
    expect(() => faults.put('a', 'batchDelete:reset')).toThrow('match must be');
  });

  it('may have an operation with the name of a surface, which then gets the faults', async () => {
    const text = SHOP.replace('operationId: ask', 'operationId: upload');
    const { call, mock } = await start(text, { faults: ['upload:code=SERVICE_TIMEOUT'] });
    expect(await call('/pets/1', { method: 'OPTIONS' })).toMatchObject({ status: 504 });
    const put = () => mock.session().faults.put('a', 'upload:code=AccessDenied');
    expect(put).toThrow('code must be an error code of gateway');
  });

  it('is reloaded when a file that it refers to changes, or is created', async () => {
    const pet = (name: string) => `type: string\nexample: ${name}\n`;
    const text = `openapi: 3.0.3
info: { title: a, version: '1' }
paths: { /pet: { get: { responses: { 200: { description: ok, content: { text/plain: { schema: { $ref: ./parts/pet.yaml } } } } } } } }`;
    const files = { 'api.yaml': text, 'parts/pet.yaml': pet('Rex') };
    const [document = ''] = await writeFiles(files);
    await using mock = await createMock({ document });
    const read = async () => (await fetch(`${mock.url}/pet`)).text();
    expect(await read()).toBe('Rex');
    await replaceFile(join(document, '../parts/pet.yaml'), pet('Bo'));
    expect(await read()).toBe('Bo');
    await replaceFile(document, text.replace('pet.yaml', 'new.yaml'));
    for (const content of ['type: [', pet('Max')]) {
      const warned = nextWarning();
      expect(await read()).toBe('Bo');
      expect(await warned).toContain('new.yaml');
      await replaceFile(join(document, '../parts/new.yaml'), content);
    }
    expect(await read()).toBe('Max');
    const file = join(document, '../parts/new.yaml');
    await rm(file);
    await symlink(file, file);
    const warned = nextWarning();
    expect(await read()).toBe('Max');
    expect(await warned).toContain('new.yaml');
    await rm(file);
    await writeFile(file, pet('Ed'));
    expect(await read()).toBe('Ed');
  });

  it('becomes a draft of the contract, with its faults, once it has one of its paths', async () => {
    const operation = { responses: { 200: json({ example: 1 }) } };
    const { call, document, mock } = await start(toDocument(operation));
    const read = async () =>
      (await call('/api/v2/envs/dev/storages:batchDelete', { method: 'POST' })).status;
    expect(await read()).toBe(404);
    await replaceFile(document, toDocument(operation).replace('/a', '/v1/cloudrun/{name}'));
    const put = await control(mock, 'PUT', 'faults/a', { body: 'batchDelete:code=SYS_ERR' });
    expect([put.status, await read()]).toEqual([200, 500]);
  });

  it('may be Swagger 2.0, served at its base path', async () => {
    const { call } = await start(`swagger: '2.0'
basePath: /v2
info: { title: Old, version: '1' }
paths:
  /b:
    get:
      parameters: [{ name: arr, in: query, type: array, items: { type: integer } }]
      produces: [application/json]
      responses: { 200: { description: ok, examples: { application/json: [1] } } }
`);
    expect(await call('/v2/b?arr=1,2')).toMatchObject({ status: 200, body: [1] });
    expect(await call('/v2/b?arr=1,x')).toMatchObject({ status: 400 });
    expect(await call('/b?arr=1,2')).toMatchObject({ status: 404 });
  });
});

/** Returns a document with an operation `GET /a`. */
function toDocument(operation: object, schemas: object = {}): string {
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'A', version: '1' },
    paths: { '/a': { get: { parameters: [LIMIT], ...operation } } },
    components: { schemas },
  });
}

const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 9 } };

const json = (media: object) => ({ description: 'ok', content: { 'application/json': media } });

/** Starts a mock of a document with this response. */
const startWith = (media: object, schemas?: object) =>
  start(toDocument({ responses: { 200: json(media) } }, schemas));

const toRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns what is generated from a schema: an example, and a value for `dynamic=true`. */
async function generate(schema: object, schemas?: object) {
  const { call } = await startWith({ schema }, schemas);
  const ask = (prefer: string) => call('/a', { headers: { prefer } });
  const responses = [await ask(''), await ask('dynamic=true')];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  return responses.map(({ body }) => body);
}

it('may be an object in code, as a hosted service', async () => {
  const content = { 'application/json': { example: ['Rex'] } };
  const paths = { '/pets': { get: { responses: { 200: { description: 'All.', content } } } } };
  const pets = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths };
  await using mock = await createMock({ services: { pets } });
  const headers = { authorization: 'Bearer any' };
  const response = await fetch(`${mock.url}/v1/cloudrun/pets/pets`, { headers });
  expect(await response.json()).toEqual(['Rex']);
});

describe('an invalid call', () => {
  const example = (status: string) => ({ [status]: json({ example: { status } }) });

  it.each([
    ['the 422 of the document', { ...example('400'), ...example('422') }, 422, { status: '422' }],
    ['its 400', { ...example('400'), ...example('default') }, 400, { status: '400' }],
    ['what its schema says', { 400: json({ schema: toRef('Problem') }) }, 400, { why: 'string' }],
    ['problem details', { 400: { description: 'No body.' } }, 400, { title: 'Bad Request' }],
    ['problem details if nothing is documented', {}, 400, { title: 'Bad Request' }],
  ])('gets %s', async (_, responses, status, body) => {
    const Problem = { type: 'object', properties: { why: { type: 'string' } } };
    const document = toDocument({ responses: { ...example('200'), ...responses } }, { Problem });
    const { call, mock } = await start(document);
    expect(await call('/a?limit=10')).toMatchObject({ status, body });
    expect(mock.session().requests()).toMatchObject([{ status, reason: /query\.limit must be/ }]);
  });

  it('gets a header that clients can read, whatever the call contains', async () => {
    const schema = { type: 'object', additionalProperties: false };
    const filter = { name: 'filter', in: 'query', style: 'deepObject', schema };
    const document = toDocument({ parameters: [filter], responses: example('400') });
    const { call, mock } = await start(document);
    const { status, headers } = await call(`/a?filter[${'a'.repeat(9_000)}]=1`);
    expect([status, headers.get('x-mock-violation')?.length]).toEqual([400, 1_000]);
    expect(headers.get('access-control-expose-headers')).toContain('x-mock-violation');
    expect(mock.session().requests()[0]?.reason).toHaveLength(1_000);
  });
});

describe('what Prism alone does not do', () => {
  it('does not copy headers that describe the message', async () => {
    const names = ['Content-Encoding', 'Transfer-Encoding', 'Content-Length', 'Content-Range'];
    const header = { required: true, schema: { type: 'string' }, example: 'gzip' };
    const headers = Object.fromEntries([...names, 'X-Kept'].map((name) => [name, header]));
    const responses = { 200: { ...json({ example: [1] }), headers } };
    const { call } = await start(toDocument({ responses }));
    const { status, headers: sent, body } = await call('/a');
    expect([status, body, sent.get('x-kept')]).toEqual([200, [1], 'gzip']);
    expect(sent.get('access-control-expose-headers')).toContain('x-kept');
    expect([sent.get('content-encoding'), sent.get('content-length')]).toEqual([null, '3']);
  });

  const example = { id: 1, tags: ['a<b', 'c'], owner: { name: null } };
  const xml = '<xml><id>1</id><tags>a&lt;b</tags><tags>c</tags><owner><name></name></owner></xml>';
  it.each([
    ['application/xml', { example }, xml],
    ['image/png', { schema: {} }, ''],
    ['text/plain', { schema: {} }, ''],
    ['text/plain', { schema: { type: 'integer', example: 5 } }, '5'],
    ['application/json', { schema: {} }, null],
  ])('writes %s of %j', async (type, media, body) => {
    const response = { description: 'ok', content: { [type]: media } };
    const { call } = await start(toDocument({ responses: { 200: response } }));
    expect((await call('/a')).body).toBe(body);
  });

  it('omits writeOnly properties, however they are composed', async () => {
    const Secret = { type: 'string', writeOnly: true };
    const type = 'object';
    const Base = { type, required: ['pin'], properties: { pin: { allOf: [toRef('Secret')] } } };
    const properties = { name: { type: 'string' }, password: toRef('Secret') };
    const User = { allOf: [toRef('Base'), { type, required: ['name', 'password'], properties }] };
    const users = { type: 'array', minItems: 1, items: toRef('User') };
    for (const [user] of await generate(users, { Base, User, Secret })) {
      expect(user.name).toEqual(expect.any(String));
      expect(user).not.toHaveProperty('password');
      expect(user).not.toHaveProperty('pin');
    }
  });

  it('ignores references in extensions of a schema', async () => {
    const Kind = { enum: [1, 2] };
    const schema = { type: 'integer', example: 2, 'x-enum-reference': toRef('Kind') };
    const { call } = await startWith({ schema }, { Kind });
    expect(await call('/a')).toMatchObject({ status: 200, body: 2 });
  });

  it('follows schemas that refer to each other up to a limit', async () => {
    const count = 50;
    const toNext = (index: number) => toRef(`S${index % count}`);
    const toSchema = (index: number) => ({
      type: 'object',
      required: ['id', 'one'],
      properties: {
        id: { type: 'integer' },
        one: toNext(index * 7 + 1),
        two: { type: 'array', items: toNext(index * 3 + 2) },
        three: { oneOf: [toNext(index * 5 + 3)] },
      },
    });
    const schemas = Array.from({ length: count }, (_, at) => [`S${at}`, toSchema(at)]);
    for (const body of await generate(toRef('S0'), Object.fromEntries(schemas))) {
      expect(body.one.two[0].id).toEqual(expect.any(Number));
      expect(JSON.stringify(body).length).toBeLessThan(500_000);
    }
  });

  it.each([
    { type: 'string', minLength: 300_000 },
    { type: 'array', minItems: 20_000, items: { type: 'integer' } },
    { type: 'object', minProperties: 5_000, additionalProperties: true },
  ])('limits the size of what it generates: %j', async (schema) => {
    for (const body of await generate({ type: 'array', minItems: 2, items: schema })) {
      expect(JSON.stringify(body).length).toBeLessThan(25_000);
    }
  });

  it.each(['int32', 'int64', 'float', 'double'])('generates no extreme %s', async (format) => {
    for (const body of await generate({ type: 'number', format })) {
      expect(Math.abs(body)).toBeLessThan(1e9);
    }
  });
});
