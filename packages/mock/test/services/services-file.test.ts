import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createMock } from '../../src/index.ts';
import { BEARER, gateway } from '../helpers/calls.ts';
import { replaceFile, writeFiles } from '../helpers/files.ts';
import { advanceUntil, nextWarning } from '../helpers/wait.ts';

let folder: string;
let services: string;
beforeEach(async () => {
  const old = { 'old/package.json': '{ "type": "commonjs" }', 'old/a.ts': 'export {};' };
  [services = ''] = await writeFiles({ 'services.ts': '', ...old });
  folder = dirname(services);
});

const write = (name: string, text: string) => replaceFile(join(folder, name), text);
const respondWith = (value: unknown) =>
  `export default { orders: () => Response.json(${JSON.stringify(value)}) };`;

const document = (example: string) => `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths: { /: { get: { responses: { 200: { description: ok, content: { application/json: { example: ${example} } } } } } } }`;

async function ask(mock: { url: string }, path = 'orders'): Promise<unknown> {
  return (await gateway(mock, { path: `/v1/cloudrun/${path}` })).json;
}

describe('an invalid file is reported on startup, with its location', () => {
  test.each([
    ['enum A { b }\nexport default {};', 'services.ts:1: ', 'Node only strips types'],
    ['const a = 1;\nexport default { a: none(a) };', 'services.ts:2: ', 'none is not defined'],
    ['export default {', 'services.ts:1: ', 'SyntaxError'],
    ['throw new Error("Bad.");\nexport default {};', 'services.ts:1: ', /: Bad\.$/],
    ['import { a } from "./none.ts";\nexport default a;', 'services.ts', 'none.ts'],
    ['import { a } from "./a.ts";\nexport default a;', /\ba\.ts:3: /, 'missing is not defined'],
    ['export const a = 1;', 'services.ts', 'default export'],
    ['export default new Map();', 'services.ts', 'default export'],
    ['export default { "no name": () => {} };', 'no name', 'is not a valid service name'],
    ['export default { orders: 5 };', 'orders', 'OpenAPI document'],
    ['export default { orders: { fetch: 5, webSocket() {} } };', 'orders', 'OpenAPI document'],
    ['export default { orders: { fetch() {}, openapi: "3.1.0" } };', 'orders', 'not both'],
    [
      'export default { orders: "./none.yaml" };',
      'orders',
      /: There is no file .*none\.yaml: check/,
    ],
    ['export default { orders: "." };', 'orders', 'use a function'],
    ['import "./old/a.ts";', 'a.ts:1: ', /Rename the file to \.mts, or set "type": "module" in/],
    ['throw Object.create(null);\nexport default {};', 'services.ts', 'it threw '],
  ])('%s', async (text, place, reason) => {
    await write('services.ts', text);
    await write('a.ts', '\n\nexport const a = missing;');
    const error = await createMock({ services }).catch(({ message }: Error) => message);
    expect(error).toMatch(place);
    expect(error).toMatch(reason);
  });
});

test('the location of an error has the drive of its path', async () => {
  const [file = ''] = await writeFiles({ 'C:/services.ts': '\nthrow new Error("Bad.");' });
  await expect(createMock({ services: file })).rejects.toThrow('C:/services.ts:2: Error: Bad.');
});

describe('a change is live at the next call', () => {
  test('of the file, of a module that it imports, and of a document', async () => {
    const text = (word: string) => `import { NAME } from './name.ts';
      import alias from '#alias';
      const greet = (request: Request) => Response.json(['${word}', NAME, request.method]);
      const byUrl = async () => (await import(new URL('./late.mjs', import.meta.url).href)).default;
      const late = async () => Response.json([alias, await byUrl()]);
      export default { orders: greet, late, pets: './pets.yaml' };`;
    await write('package.json', '{ "imports": { "#alias": "./alias.mjs" } }');
    for (const name of ['alias', 'late']) await write(`${name}.mjs`, 'export default 1;');
    await write('services.ts', text('first'));
    await write('name.ts', "export const NAME: string = 'a';");
    await write('pets.yaml', document('Rex'));
    // Paths are relative to the target of a link.
    const link = `${folder}.ts`;
    await symlink(services, link);
    await using mock = await createMock({ services: link });
    mock.session().files.put('a.txt', 'kept', 'text/plain');
    expect(await ask(mock)).toEqual(['first', 'a', 'GET']);
    expect(await ask(mock, 'pets')).toBe('Rex');
    await gateway(mock, { path: '/v1/cloudrun/pets/x' });
    expect(mock.session().requests().at(-1)).toMatchObject({ status: 404, service: 'pets' });

    await write('services.ts', text('second'));
    expect(await ask(mock)).toEqual(['second', 'a', 'GET']);
    await write('name.ts', "export const NAME: string = 'b';");
    expect(await ask(mock)).toEqual(['second', 'b', 'GET']);
    expect(await ask(mock, 'late')).toEqual([1, 1]);
    await write('alias.mjs', 'export default 2;');
    expect(await ask(mock, 'late')).toEqual([2, 1]);
    await write('late.mjs', 'export default 2;');
    expect(await ask(mock, 'late')).toEqual([2, 2]);
    await write('pets.yaml', document('Tom'));
    expect(await ask(mock, 'pets')).toBe('Tom');
    expect(mock.session().files.list()).toHaveLength(1);
  });
});

test('clients that disconnect during a reload do not reach their service, and others get a change during it', async () => {
  const [begun, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reload = { begun, loaded, called: [] as boolean[] };
  vi.stubGlobal('reload', reload);
  await write('services.ts', respondWith(1));
  await using mock = await createMock({ services });
  const calls = () => mock.session().requests().slice(0, 2);
  const service = '({ signal }) => Response.json(reload.called.push(signal.aborted))';
  const text = `reload.begun.resolve(); await reload.loaded.promise; export default { orders: ${service} };`;
  await write('services.ts', text);
  const stop = new AbortController();
  const init = { headers: BEARER, signal: stop.signal };
  for (const name of ['orders', 'hello']) {
    fetch(`${mock.url}/v1/cloudrun/${name}`, init).catch(() => {});
  }
  await expect.poll(calls).toHaveLength(2);
  stop.abort();
  await expect.poll(() => calls().filter(({ ms }) => ms === undefined)).toEqual([]);
  await begun.promise;
  await write('services.ts', text.replace('json(', 'json(1 + '));
  const others = Promise.all([ask(mock), ask(mock, 'hello')]);
  await expect.poll(() => mock.session().requests()).toHaveLength(4);
  loaded.resolve();
  expect(await others).toMatchObject([2, {}]);
  expect(reload.called).toEqual([false]);
  expect(calls()).toMatchObject([{ status: undefined }, { status: undefined }]);
});

describe('a change that is invalid', () => {
  test.each([
    ['export default {', /services\.ts:1: SyntaxError/],
    ['export default { orders: 5 };', /orders: use a function/],
  ])('%s is reported once, and the last valid version stays', async (text, reason) => {
    await write('services.ts', respondWith(1));
    await using mock = await createMock({ services });
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    await write('services.ts', text);
    const warned = nextWarning();
    for (let count = 0; count < 3; count += 1) expect(await ask(mock)).toBe(1);
    expect(await warned).toMatch(reason);
    await write('services.ts', respondWith(2));
    expect(await ask(mock)).toBe(2);
    process.off('warning', note);
    expect(warnings).toHaveLength(1);
  });

  test('does not block calls if it never finishes loading, and is loaded again', async () => {
    await write('services.ts', respondWith(1));
    await using mock = await createMock({ services });
    await write('services.ts', 'await new Promise(() => {}); export default {};');
    const warned = nextWarning();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const calls = Promise.all([ask(mock), ask(mock, 'echo')]);
    const [orders, echo] = await advanceUntil(calls).finally(() => vi.useRealTimers());
    expect([orders, echo]).toEqual([1, expect.objectContaining({ method: 'GET' })]);
    expect(await warned).toMatch(/services\.ts: .*30 s/);
    await write('services.ts', respondWith(2));
    expect(await ask(mock)).toBe(2);
  });

  test.each([
    ["import('./late.mjs')", '', 1],
    ["import('./late.mjs')", 'orders: 5 }', 1],
    // A CommonJS module is loaded only once.
    ["import('./late.cjs')", '', 4],
  ])('leaves the last valid version its modules: %s %s', async (load, rest, last) => {
    const start = `const late = async () => (await ${load}).default;\nexport default {`;
    const valid = `${start} orders: async () => Response.json((await late()).push(1)) };`;
    await write('late.mjs', 'export default [];');
    await write('late.cjs', 'module.exports = [];');
    await write('services.ts', valid);
    await using mock = await createMock({ services });
    expect(await ask(mock)).toBe(1);
    await write('services.ts', `${start} ${rest}`);
    const warned = nextWarning();
    expect([await ask(mock), await ask(mock)]).toEqual([2, 3]);
    expect(await warned).toMatch(/services/);
    await write('services.ts', valid);
    expect(await ask(mock)).toBe(last);
  });

  const module = 'export default () => Response.json(2);';
  test.each([
    ["import a from './a.ts';\nexport default { orders: a };", 'a.ts', module],
    ["export default { orders: './a.yaml' };", 'a.yaml', document('2')],
  ])('%s takes effect as soon as the other file is valid', async (text, file, valid) => {
    await write('services.ts', respondWith(1));
    await using mock = await createMock({ services });
    await write('services.ts', text);
    for (const content of ['openapi: [', valid]) {
      const warned = nextWarning();
      expect(await ask(mock)).toBe(1);
      expect(await warned).toContain(file);
      await write(file, content);
    }
    expect(await ask(mock)).toBe(2);
  });
});
