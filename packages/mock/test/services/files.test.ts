import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServices } from '../../src/services/create-services.ts';
import { describeServiceFault, type ServiceFault } from '../../src/services/services.ts';
import { replaceFile } from '../helpers/replace-file.ts';
import { get, startServices } from './start-services.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-services-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => replaceFile(join(folder, name), text);

/** Starts services whose changes and faults can be awaited. */
async function startWatched(source = folder) {
  const reported: (readonly string[] | ServiceFault)[] = [];
  let wake = () => {};
  const notify = (what: readonly string[] | ServiceFault) => {
    reported.push(what);
    wake();
  };
  const started = await startServices(source, { onChange: notify, onFault: notify });
  return Object.assign(started, {
    async reported() {
      while (reported.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return reported.shift() as readonly string[] | ServiceFault;
    },
  });
}

/** Messages about errors at start, without the folder. */
async function faultsOf(source = folder): Promise<string[]> {
  const error = await createServices({ source }).then(
    async (services) => {
      services.close();
      return { faults: [] };
    },
    (error: { faults: ServiceFault[] }) => error,
  );
  return error.faults.map((fault) => describeServiceFault(fault).replaceAll(`${folder}/`, ''));
}

const route = (json: unknown) =>
  `export default { routes: { 'GET /': { json: ${JSON.stringify(json)} } } };`;

describe('a folder', () => {
  test('has a service for each file, and ignores helpers', async () => {
    await write(
      'users.ts',
      `import { NAMES } from './_names.ts';
      type Name = string;
      export default { routes: { 'GET /': () => ({ json: NAMES as Name[] }) } };`,
    );
    await write('_names.ts', `export const NAMES: readonly string[] = ['Ada'];`);
    await write('plain.js', route('js'));
    await write('notes.md', '# none');
    await write('users.test.ts', 'nothing here runs;');
    await write(
      'pets.openapi.yaml',
      "openapi: 3.1.0\ninfo: { title: a, version: '1' }\npaths: { '/pets/{id}': { get: { parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: ok, content: { application/json: { example: [Rex] } } } } } } }",
    );
    await using started = await startServices(folder);
    expect(started.services.names()).toEqual(['pets', 'plain', 'users', 'hello', 'echo']);
    expect(await (await get(started, 'users')).json()).toEqual(['Ada']);
    expect(await (await get(started, 'plain')).json()).toBe('js');
    expect(await (await get(started, 'pets/pets/1')).json()).toEqual(['Rex']);
    expect((await get(started, 'pets/pets/one')).status).toBe(422);
  });

  test('may be one file of several services', async () => {
    await write('services.ts', `export default { orders: { routes: {} }, users: {} };`);
    await using started = await startServices(join(folder, 'services.ts'));
    expect(started.services.names()).toEqual(['orders', 'users', 'hello', 'echo']);
  });
});

describe('errors at start are reported with their location', () => {
  test.each<[string, string, ...string[]]>([
    [
      'a field that there is not',
      'export default { routs: {} };',
      'orders.ts: routs is not a field here; did you mean routes?',
    ],
    [
      'two routes for the same calls',
      'export default { routes: { "GET /{a}": {}, "GET /{b}": {} } };',
      'orders.ts: routes["GET /{b}"] matches the same calls as "GET /{a}".',
    ],
    [
      'an invalid key, and a WebSocket under GET',
      'export default { routes: { "PUT /": {}, "GET /": { webSocket() {} } } };',
      'orders.ts: routes["PUT /"] must begin with GET, POST or WS',
      'orders.ts: routes["GET /"] is a WebSocket: use WS instead of the method in its key.',
    ],
    [
      'what Node cannot strip',
      'enum A { b }\nexport default {};\n',
      'orders.ts:1:1: SyntaxError: TypeScript enum is not supported in strip-only mode. Node only strips types',
    ],
    [
      'a module that throws',
      'const a: number = 1;\nexport default { routes: nothing(a) };\n',
      'orders.ts:2:26: ReferenceError: nothing is not defined.',
    ],
    [
      'an import that is missing',
      'import { a } from "./_none.ts";\nexport default a;\n',
      "orders.ts:1:22: Error: Cannot find module '_none.ts'",
    ],
    ['no default export', 'export const a = 1;\n', 'orders.ts:1:1: There is no default export'],
  ])('%s', async (_, text, ...expected) => {
    await write('orders.ts', text);
    const faults = await faultsOf();
    expect(faults).toHaveLength(expected.length);
    for (const [at, sentence] of expected.entries()) {
      expect(faults[at]?.slice(0, sentence.length)).toBe(sentence);
    }
  });

  test('a file that package.json makes CommonJS', async () => {
    await write('package.json', '{ "type": "commonjs" }');
    await write('orders.js', 'export default {};\n');
    const [fault = ''] = await faultsOf();
    expect(fault).toContain('orders.js:1:1: SyntaxError: ');
    expect(fault).toContain(
      'set "type": "module" in package.json, or use the extension .mts or .mjs',
    );
  });

  test('a helper is named if the error is in it', async () => {
    await write('orders.ts', `import { a } from './_helper.ts';\nexport default a;\n`);
    await write('_helper.ts', '\n\nexport const a = missing;\n');
    const [fault = ''] = await faultsOf();
    expect(fault).toMatch(/_helper\.ts:3:18: ReferenceError: missing is not defined\.$/);
  });

  test('a name that two files have, or that is invalid, a folder that is missing, a file of another kind', async () => {
    await write('orders.ts', 'export default {};');
    await write('orders.js', 'export default {};');
    expect(await faultsOf()).toEqual([
      expect.stringMatching(/^orders\.ts: Service orders is already defined in .*orders\.js/),
    ]);
    expect((await faultsOf(join(folder, 'none')))[0]).toContain('no such file');
    await rm(join(folder, 'orders.js'));
    await write('1.ts', route(1));
    expect(await faultsOf()).toEqual([
      expect.stringMatching(/^1\.ts: The file name 1 is not a valid service name/),
    ]);
    await write('a.txt', '');
    expect((await faultsOf(join(folder, 'a.txt')))[0]).toContain(
      '.ts, .js, .openapi.yaml or .openapi.json',
    );
  });

  test('services in code too', async () => {
    const source = { orders: { routes: { 'PUT /': {} } }, 'no name': {} };
    await expect(createServices({ source })).rejects.toThrow(
      'orders: routes["PUT /"] must begin with GET, POST or WS',
    );
    await expect(createServices({ source })).rejects.toThrow('no name is not a valid service name');
  });
});

describe('a change', () => {
  test('is reloaded without the state of the session', async () => {
    const text = (word: string) => `import { NAME } from './_name.ts';
      export default { routes: { 'GET /': ({ state }) => {
        state.set('count', (state.get('count') ?? 0) + 1);
        return { json: ['${word}', NAME, state.get('count')] };
      } } };`;
    await write('orders.ts', text('first'));
    await write('_name.ts', `export const NAME = 'a';`);
    await using started = await startWatched();
    const respond = async () => (await get(started, 'orders')).json();
    expect(await respond()).toEqual(['first', 'a', 1]);
    await write('orders.ts', text('second'));
    expect(await started.reported()).toEqual([join(folder, 'orders.ts')]);
    expect(await respond()).toEqual(['second', 'a', 2]);
    await write('_name.ts', `export const NAME = 'b';`);
    expect(await started.reported()).toEqual([join(folder, 'orders.ts')]);
    expect(await respond()).toEqual(['second', 'b', 3]);
  });

  test('that is invalid is reported once, and the last valid version stays in use', async () => {
    await write('orders.ts', route(1));
    await using started = await startWatched();
    await write('orders.ts', 'export default {');
    expect(await started.reported()).toMatchObject({ file: join(folder, 'orders.ts'), line: 1 });
    expect(await (await get(started, 'orders')).json()).toBe(1);
    await write('orders.ts', route(2));
    expect(await started.reported()).toEqual([join(folder, 'orders.ts')]);
    expect(await (await get(started, 'orders')).json()).toBe(2);
  });

  test('may add, remove or replace a file', async () => {
    await write('orders.ts', route(1));
    await using started = await startWatched();
    await write('users.ts', route(1));
    await started.reported();
    expect(started.services.names()).toEqual(['orders', 'users', 'hello', 'echo']);
    await rm(join(folder, 'users.ts'));
    await started.reported();
    expect(started.services.names()).toEqual(['orders', 'hello', 'echo']);
  });

  test('of one file is noticed too, even if its folder is created again', async () => {
    const inner = join(folder, 'inner');
    const all = (json: number) =>
      write(
        'inner/all.ts',
        route(json).replace('{ routes', '{ orders: { routes').replace(/};$/, '} };'),
      );
    await mkdir(inner);
    await all(1);
    await using started = await startWatched(join(inner, 'all.ts'));
    await all(2);
    await started.reported();
    expect(await (await get(started, 'orders')).json()).toBe(2);
    await rm(inner, { recursive: true });
    expect(await started.reported()).toMatchObject({
      message: expect.stringContaining('no such file'),
    });
    expect(await (await get(started, 'orders')).json()).toBe(2);
    await mkdir(inner);
    await all(3);
    await started.reported();
    expect(await (await get(started, 'orders')).json()).toBe(3);
  });
});
