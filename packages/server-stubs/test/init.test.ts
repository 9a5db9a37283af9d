import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { initProject, toManifest } from '../generator/init/init-project.ts';
import { routes as gatewayRoutes } from '../src/generated/gateway.v1/routes.gen.ts';
import { routes as storageRoutes } from '../src/generated/storage.v2/routes.gen.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const REPOSITORY = resolve(PACKAGE, '../..');

let folder = '';
let project = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-init-'));
  project = await initProject(join(folder, 'my-server'));
  await link('@berth/server-stubs', PACKAGE);
  for (const name of ['express', '@types/express']) {
    await link(name, join(PACKAGE, 'node_modules', name));
  }
  await link('@types/node', join(REPOSITORY, 'node_modules/@types/node'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a new project', () => {
  test('has a handler for each operation, named by its operationId', async () => {
    const files = await readdir(join(project, 'src/handlers'));
    const operations = [...gatewayRoutes.routes, ...storageRoutes.routes];
    const names = operations.map(({ operationId }) => `${operationId}.ts`);
    expect(files.sort()).toEqual([...names, 'index.ts'].sort());
  });

  test('passes its own test', async () => {
    const { code, output } = await node(['--test', 'test/app.test.ts']);
    expect(output).toContain('pass 5');
    expect(code).toBe(0);
  });

  test('compiles under strict', async () => {
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const { code, output } = await node([tsc, '--customConditions', 'berth-source']);
    expect(output).toBe('');
    expect(code).toBe(0);
  });

  test('starts, with its own token', async () => {
    const child = start(['--env-file=.env', 'src/server.ts'], { PORT: '0' });
    try {
      const [chunk] = await once(child.stdout, 'data');
      const base = /http:\S+/.exec(String(chunk))?.[0];
      const token = (await readFile(join(project, '.env'), 'utf8')).trim().split('=')[1];
      expect(token).toHaveLength(32);
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${base}/v1/cloudrun/hello/a`, { headers });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });
});

test('a folder that is not empty is not touched, unless forced', async () => {
  const taken = join(folder, 'taken');
  await mkdir(taken);
  await writeFile(join(taken, 'mine.txt'), 'mine');
  await expect(initProject(taken)).rejects.toThrow('--force');
  expect(await readdir(taken)).toEqual(['mine.txt']);
  await initProject(taken, { force: true });
  expect(await readdir(taken)).toEqual(expect.arrayContaining(['mine.txt', 'src', 'package.json']));
});

async function link(name: string, target: string): Promise<void> {
  const path = join(project, 'node_modules', name);
  await mkdir(resolve(path, '..'), { recursive: true });
  await symlink(target, path, 'dir');
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, ['--conditions=berth-source', ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function node(args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = start(args);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, output: out + err };
}

test.each([
  ['/tmp/my-server', 'my-server'],
  ['/tmp/My Server!', 'my-server'],
  ['/tmp/_x', 'x'],
  ['/tmp/中文', 'berth-server'],
])('the project in %s is named %s', (folder, name) => {
  expect(toManifest(folder, '1.2.3')).toMatchObject({
    name,
    dependencies: { '@berth/server-stubs': '^1.2.3' },
  });
});
