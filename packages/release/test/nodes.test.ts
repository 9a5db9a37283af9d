import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, runCommand, startCommand, tryCommand } from '@berth/runtimes/run-command';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listPublished, ROOT } from '../src/list-published.ts';
import { NODES, type NodeMajor } from '../src/rehearsal/environment.ts';

/** The lines of Node that are maintained; 20 is run for as long as the dependencies run there. */
const MAINTAINED = [22, 24, 26] as const;

const commands = listPublished().flatMap(({ folder, manifest: { bin = {}, engines = {} } }) =>
  Object.entries(bin).map(([name, file]) => ({
    name,
    file: join(ROOT, folder, file),
    floor: (engines.node ?? '').replace('>=', ''),
  })),
);

const home = mkdtempSync(join(tmpdir(), 'berth-nodes-'));
afterAll(() => rmSync(home, { recursive: true }));
const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
const place = { folder: home, env: { HOME: home, PATH, NODE_COMPILE_CACHE } };

/** The words that run a command on one of the Nodes, as it was built. */
function on(node: NodeMajor, name: string, ...args: string[]): string[] {
  const file = commands.find((command) => command.name === name)?.file ?? '';
  return [join(NODES[node], 'node'), file, ...args];
}

describe.each(commands)('$name, from Node $floor on', ({ name, floor }) => {
  const oldest = Number.parseInt(floor, 10) as NodeMajor;

  test('is tried on its floor itself, no later version', async () => {
    const version = await runCommand(place, [join(NODES[oldest], 'node'), '--version']);
    expect(version.trim()).toBe(`v${floor}.0`);
  });

  test.each([oldest, ...MAINTAINED.filter((node) => node > oldest)])(
    'runs on Node %i',
    async (node) => {
      const { code, stdout, stderr } = await tryCommand(place, on(node, name, '--help'));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: ${name}`);
    },
  );

  const [major = 0, minor = 0] = floor.split('.').map(Number);
  test.each(['9.11.2', `${major - 1}.99.0`, `${major}.${minor - 1}.9`])(
    'rejects Node %s with one line, and exits with 2',
    async (version) => {
      // Node 20 says that it is another one: what is older than the floors is not installed.
      const versions = `{ value: { ...process.versions, node: '${version}' } }`;
      const other = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`;
      const [node = '', ...rest] = on(20, name, '--version');
      expect(await tryCommand(place, [node, '--import', other, ...rest])).toEqual({
        code: 2,
        stdout: '',
        stderr: `${name} needs Node ${floor} or later; this is Node ${version}.\n`,
      });
    },
  );
});

// The mock at work on each Node: `node-versions.test.ts` of its package.
describe('at work, each on its oldest supported Node', () => {
  let server: Running;
  // A development server prints them.
  let [url, token, id, secret] = ['', '', '', ''];
  beforeAll(async () => {
    const args = ['--port', '0', '--admin-port', '0', '--data', join(home, 'data')];
    server = await startCommand(place, on(22, 'berth-server', ...args), /([\s\S]*)^ready$/m);
    const words = /^Gateway +(\S+)\/v1\/[\s\S]*^Token +(\S+)\nKey pair +id (\S+), secret (\S+)$/m;
    [, url = '', token = '', id = '', secret = ''] = words.exec(server.found) ?? [];
  });

  test('berth calls a service, and stores and reads a file', async () => {
    const own = {
      folder: home,
      env: {
        ...place.env,
        BERTH_ENV: 'dev',
        BERTH_GATEWAY_URL: url,
        BERTH_STORAGE_URL: url,
        BERTH_TOKEN: token,
        BERTH_SECRET_ID: id,
        BERTH_SECRET_KEY: secret,
      },
    };
    writeFileSync(join(home, 'a.txt'), 'A file.');
    expect(await runCommand(own, on(20, 'berth', 'call', 'hello', 'a'))).toContain('Hello');
    await runCommand(own, on(20, 'berth', 'cp', 'a.txt', 'remote:/a.txt'));
    expect(await runCommand(own, on(20, 'berth', 'cp', 'remote:/a.txt', '-'))).toBe('A file.');
  });

  test('berth-conformance checks a server', async () => {
    const options = [
      ...['--gateway-url', url, '--gateway-host', 'dev.gateway.example', '--storage-url', url],
      ...['--gateway-token', token, '--tc3-secret-id', id, '--tc3-secret-key', secret],
      ...['--only', 'ST-META-URL'],
    ];
    const output = await runCommand(place, on(20, 'berth-conformance', ...options));
    expect(output).toMatch(/^1 pass, 0 fail, 0 skip, .*: follows the contract/m);
  });

  test('berth-stubs generates a server that runs there', async () => {
    const pets = `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: A pet., content: { application/json: {} } } }
`;
    writeFileSync(join(home, 'pets.yaml'), pets);
    const options = ['-o', 'api', '--import-extension', 'js'];
    await runCommand(place, on(20, 'berth-stubs', 'pets.yaml', ...options));
    for (const file of globSync(join(home, 'api/*.ts'))) {
      const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
      writeFileSync(file.replace(/\.ts$/, '.js'), code);
    }
    mkdirSync(join(home, 'node_modules/@berth'), { recursive: true });
    symlinkSync(
      join(ROOT, 'packages/server-stubs'),
      join(home, 'node_modules/@berth/server-stubs'),
    );
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(home, 'pets.js'),
      `import { createServer } from 'node:http';
       import { createRouter } from './api/index.gen.js';
       const router = createRouter({ getPet: ({ path }) => ({ status: 200, body: path }) });
       const server = createServer(router).listen(0, '127.0.0.1', () => console.log('port', server.address().port));`,
    );
    const running = await startCommand(place, [join(NODES[20], 'node'), 'pets.js'], /port (\d+)\n/);
    try {
      const base = `http://127.0.0.1:${running.found}`;
      expect(await (await fetch(`${base}/pets/7`)).json()).toEqual({ id: 7 });
      expect((await fetch(`${base}/pets/seven`)).status).toBe(400);
    } finally {
      await running.stop();
    }
  });

  test('berth-server applies a changed configuration', async () => {
    const file = join(home, 'berth.yaml');
    const config = `listen: { port: 0 }
admin: { port: 0 }
keys: [{ secret: ${'k'.repeat(32)} }]
environments: { dev: {} }
`;
    writeFileSync(file, config);
    const own = await startCommand(
      place,
      on(22, 'berth-server', '--config', file),
      /"url":"(.+?)"/,
    );
    onTestFinished(async () => void (await own.stop()));
    const origin = 'https://app.example';
    const allowed = async () => {
      const { headers } = await fetch(own.found, { headers: { origin } });
      return headers.get('access-control-allow-origin');
    };
    expect(await allowed()).toBe('*');
    writeFileSync(file, `${config}cors: { origins: ['${origin}'] }\n`);
    await expect.poll(allowed, { timeout: 60_000 }).toBe(origin);
    expect(await own.stop()).toBe(0);
  });

  test('berth-server responds, and exits with 0 on SIGTERM', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${url}/v1/cloudrun/hello/a`, { headers });
    expect(status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});
