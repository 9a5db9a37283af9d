import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServices } from '../../src/services/create-services.ts';
import { describeServiceFault, type ServiceFault } from '../../src/util/source-file.ts';
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
      await services.close();
      return { faults: [] };
    },
    (error: { faults: ServiceFault[] }) => error,
  );
  return error.faults.map((fault) => describeServiceFault(fault).replaceAll(`${folder}/`, ''));
}

describe('a folder', () => {
  test('has a service for each file, and ignores helpers', async () => {
    await write(
      'orders.yaml',
      'routes:\n  GET /: { json: yaml }\n  GET /file: { file: data/a.bin }\n',
    );
    await write(
      'users.ts',
      `import { NAMES } from './_names.ts';
      type Name = string;
      export default { routes: { 'GET /': () => ({ json: NAMES as Name[] }) } };`,
    );
    await write('_names.ts', `export const NAMES: readonly string[] = ['Ada'];`);
    await write('plain.js', `export default { routes: { 'GET /': { json: 'js' } } };`);
    await write('notes.md', '# none');
    await write('users.test.ts', 'nothing here runs;');
    await mkdir(join(folder, 'data'));
    await write('data/a.bin', 'bytes');
    await using started = await startServices(folder);
    expect(started.services.names()).toEqual(['orders', 'plain', 'users', 'hello', 'echo']);
    expect(await (await get(started, 'orders')).json()).toBe('yaml');
    expect(await (await get(started, 'orders/file')).text()).toBe('bytes');
    expect(await (await get(started, 'users')).json()).toEqual(['Ada']);
    expect(await (await get(started, 'plain')).json()).toBe('js');
  });

  test('may be one file of several services', async () => {
    await write('services.yml', 'orders:\n  routes:\n    GET /: { json: a }\nusers: {}\n');
    await write(
      'services.ts',
      `export default { orders: { routes: { 'GET /': { json: 'ts' } } } };`,
    );
    for (const [file, names, json] of [
      ['services.yml', ['orders', 'users', 'hello', 'echo'], 'a'],
      ['services.ts', ['orders', 'hello', 'echo'], 'ts'],
    ] as const) {
      await using started = await startServices(join(folder, file));
      expect(started.services.names()).toEqual(names);
      expect(await (await get(started, 'orders')).json()).toBe(json);
    }
  });
});

describe('errors at start are reported with their location', () => {
  test.each<[string, string, string, ...string[]]>([
    ['a.yaml', 'routes', 'routes:\n  GET /: [1\n', 'a.yaml:'],
    [
      'orders.yaml',
      'a field that there is not',
      'routes:\n  GET /:\n    dealy: 5s\n',
      'orders.yaml:3:5: routes["GET /"].dealy is not a field here; did you mean delay?',
    ],
    [
      'orders.yaml',
      'two routes for the same calls',
      'routes:\n  GET /{a}: {}\n  GET /{b}: {}\n',
      'orders.yaml:3:3: routes["GET /{b}"] matches the same calls as "GET /{a}".',
    ],
    [
      'orders.yaml',
      'two bodies',
      'routes:\n  GET /:\n    json: 1\n    text: a\n',
      'orders.yaml:4:5: routes["GET /"].text cannot be combined with json: a response has only one body.',
    ],
    [
      'orders.yaml',
      'a file that is missing',
      'routes:\n  GET /: { file: none.png }\n',
      'orders.yaml:2:18: routes["GET /"].file must be a file, but none.png is not one.',
    ],
    [
      'orders.yaml',
      'a flood',
      'routes:\n  GET /:\n    events: [{ data: 1 }]\n    repeat: true\n',
      'orders.yaml:4:13: routes["GET /"].repeat needs a delay in the script: without one it would flood the caller.',
    ],
    [
      'orders.yaml',
      'a step that is none, and one that is not reached',
      'routes:\n  WS /:\n    webSocket:\n      - sennd: a\n      - cut: true\n      - send: b\n',
      'orders.yaml:4:9: routes["WS /"].webSocket[0].sennd is not a field here; did you mean send?',
      'orders.yaml:6:9: routes["WS /"].webSocket[2] is unreachable: echo, close and cut must be the last step of a script.',
    ],
    [
      'orders.yaml',
      'a WebSocket under GET',
      'routes:\n  GET /: { webSocket: [] }\n',
      'orders.yaml:2:10: routes["GET /"] is a WebSocket: use WS instead of the method in its key.',
    ],
    [
      'orders.yaml',
      'no object',
      '- a\n',
      'orders.yaml:1:1: The service must be an object with the fields routes and proxy.',
    ],
    ['1.yaml', 'an invalid name', '{}', '1.yaml: The file name 1 is not a valid service name'],
    [
      'orders.js',
      'a syntax error of JavaScript',
      'export default {\n  a: ,\n};\n',
      'orders.js:2:6: SyntaxError: Expression expected.',
    ],
    [
      'orders.ts',
      'what Node cannot strip',
      'enum A { b }\nexport default {};\n',
      'orders.ts:1:1: SyntaxError: TypeScript enum is not supported in strip-only mode. Node only strips types',
    ],
    [
      'orders.ts',
      'a module that throws',
      'const a: number = 1;\nexport default { routes: nothing(a) };\n',
      'orders.ts:2:26: ReferenceError: nothing is not defined.',
    ],
    [
      'orders.ts',
      'an import that is missing',
      'import { a } from "./_none.ts";\nexport default a;\n',
      "orders.ts:1:22: Error: Cannot find module '_none.ts'",
    ],
    [
      'orders.ts',
      'no default export',
      'export const a = 1;\n',
      'orders.ts:1:1: There is no default export',
    ],
    [
      'orders.ts',
      'an invalid field of a module',
      'export default {\n  routes: {\n    "GET /a": { status: 200 },\n    "GET /b": { status: 99 },\n  },\n};\n',
      'orders.ts:4:17: routes["GET /b"].status must be an integer from 200 to 599.',
    ],
  ])('%s: %s', async (file, _, text, ...expected) => {
    await write(file, text);
    const faults = await faultsOf();
    expect(faults).toHaveLength(expected.length);
    for (const [at, sentence] of expected.entries()) {
      expect(faults[at]?.slice(0, sentence.length)).toBe(sentence);
    }
  });

  test.each([
    ['orders.ts', 'import "node:fs";\nexport default {};\n'],
    ['orders.js', 'export default {};\n'],
  ])('%s that package.json makes CommonJS', async (file, text) => {
    await write('package.json', '{ "type": "commonjs" }');
    await write(file, text);
    const [fault = ''] = await faultsOf();
    expect(fault).toContain(`${file}:1:1: SyntaxError: `);
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

  test('a name that two files have, a folder that is missing, a file of another kind', async () => {
    await write('orders.ts', 'export default {};');
    await write('orders.yaml', '{}');
    expect(await faultsOf()).toEqual([
      expect.stringMatching(/^orders\.ts: Service orders is already defined in .*orders\.yaml/),
    ]);
    expect((await faultsOf(join(folder, 'none')))[0]).toContain('no such file');
    await write('a.txt', '');
    expect((await faultsOf(join(folder, 'a.txt')))[0]).toContain(
      '.ts, .js, .yaml, .yml or .openapi.json',
    );
  });

  test('services in code too', async () => {
    const source = { orders: { routes: { 'GET /': { status: 99 } } }, 'no name': {} };
    await expect(createServices({ source })).rejects.toThrow(
      'orders.routes["GET /"].status must be an integer from 200 to 599.\n["no name"] is not a valid service name',
    );
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
    await write('orders.yaml', 'routes:\n  GET /: { json: 1 }\n');
    await write('users.ts', `export default { routes: { 'GET /': { json: 'u' } } };`);
    await using started = await startWatched();
    await write('orders.yaml', 'routes:\n  GET /: { jsn: 2 }\n');
    expect(await started.reported()).toMatchObject({ line: 2, column: 12 });
    await write('users.ts', 'export default {');
    expect(await started.reported()).toMatchObject({ file: join(folder, 'users.ts'), line: 1 });
    expect(started.services.faults()).toHaveLength(2);
    expect(await (await get(started, 'orders')).json()).toBe(1);
    expect(await (await get(started, 'users')).json()).toBe('u');
    await write('orders.yaml', 'routes:\n  GET /: { json: 2 }\n');
    expect(await started.reported()).toEqual([join(folder, 'orders.yaml')]);
    expect(await (await get(started, 'orders')).json()).toBe(2);
    expect(started.services.faults()).toHaveLength(1);
  });

  test('may add, remove or replace a file', async () => {
    await write('orders.yaml', 'routes:\n  GET /: { json: 1 }\n');
    await using started = await startWatched();
    await write('users.yaml', '{}');
    await started.reported();
    expect(started.services.names()).toEqual(['orders', 'users', 'hello', 'echo']);
    await rm(join(folder, 'users.yaml'));
    await started.reported();
    expect(started.services.names()).toEqual(['orders', 'hello', 'echo']);
    await write('orders.yaml.new', 'routes:\n  GET /: { json: 2 }\n');
    await rename(join(folder, 'orders.yaml.new'), join(folder, 'orders.yaml'));
    await started.reported();
    expect(await (await get(started, 'orders')).json()).toBe(2);
  });

  test('that leaves a link to nothing is reported, until the link is gone', async () => {
    await using started = await startWatched();
    const users = join(folder, 'users.ts');
    await symlink(join(folder, 'none.ts'), users);
    expect(await started.reported()).toMatchObject({ message: expect.stringContaining('no such') });
    await rm(users);
    expect(await started.reported()).toEqual([users]);
    expect(started.services.faults()).toEqual([]);
  });

  test('of one file is noticed too, even if its folder is created again', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await write('inner/all.yaml', 'orders: { routes: { GET /: { json: 1 } } }');
    await using started = await startWatched(join(inner, 'all.yaml'));
    await write('inner/all.yaml', 'orders: { routes: { GET /: { json: 2 } } }');
    await started.reported();
    expect(await (await get(started, 'orders')).json()).toBe(2);
    await rm(inner, { recursive: true });
    expect(await started.reported()).toMatchObject({
      message: expect.stringContaining('no such file'),
    });
    expect(await (await get(started, 'orders')).json()).toBe(2);
    await mkdir(inner);
    await write('inner/all.yaml', 'orders: { routes: { GET /: { json: 3 } } }');
    await started.reported();
    expect(await (await get(started, 'orders')).json()).toBe(3);
    expect(started.services.faults()).toEqual([]);
  });
});
