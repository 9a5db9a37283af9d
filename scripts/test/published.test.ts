import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_FLOOR } from '../testing/node-floor.ts';
import { startUntilReady } from './start-until-ready.ts';

const ROOT = join(import.meta.dirname, '../..');
const published = globSync('{spec,packages/*}/package.json', { cwd: ROOT })
  .map((file) => ({ cwd: join(ROOT, file, '..'), ...readJson(readFileSync(join(ROOT, file))) }))
  .filter((manifest) => !manifest.private);
const names = published.map(({ name }) => name);
/** Licences that require no more than a notice. */
const ALLOWED = /^(0BSD|Apache-2\.0|BSD-[23]-Clause|CC0-1\.0|ISC|MIT|Python-2\.0|Unlicense|WTFPL)$/;
/** Resolution as CommonJS or before `exports`: the packages are ESM only, and say so. */
const NOT_OURS = ['node10', 'node16-cjs'];
/** What a user of the client does, against a mock at the given URL. */
const PROGRAM = `import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
const baseUrl = process.argv[2];
const gateway = createGatewayClient({ baseUrl, auth: bearer('any') });
const { message } = await gateway.service('hello').get('a');
const credentials = { authorization: '1.0 any', timestamp: '1700000000' };
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
const { fileID } = await storage.upload('a.txt', 'A file.');
console.log(message, await (await storage.download(fileID)).text());`;

const DOCUMENT = `openapi: 3.0.3
info: { title: Orders, version: '1' }
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        '200': { description: OK, content: { text/plain: { example: None. } } }`;

let folder: string;
const tarballs = new Map<string, string>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-published-'));
  for (const { cwd, name } of published) {
    const args = ['pack', '--json', '--pack-destination', folder];
    const output = execFileSync('pnpm', args, { cwd, encoding: 'utf8' });
    tarballs.set(name, JSON.parse(output).filename);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function readJson(content: Buffer) {
  return JSON.parse(content.toString()) as {
    name: string;
    private?: boolean;
    bin?: Record<string, string>;
    dependencies?: Record<string, string>;
  };
}

/** Returns the names of the files in a package's tarball, and its manifest. */
function open(name: string) {
  const tarball = tarballs.get(name) as string;
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
  const manifest = readJson(execFileSync('tar', ['-xzOf', tarball, 'package/package.json']));
  return { files, manifest, content: Uint8Array.from(readFileSync(tarball)) };
}

describe.each(names)('the tarball of %s', (name) => {
  it('has a licence, a README and a minimum Node, and nothing that is only valid here', () => {
    const { files, manifest } = open(name);
    const named = ['package.json', 'README.md', 'LICENSE'].map((path) => `package/${path}`);
    expect(files).toEqual(expect.arrayContaining(named));
    expect(files.filter((path) => /\.test\.|\/test\//.test(path))).toEqual([]);
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      engines: { node: expect.stringMatching(/^>=\d+(\.\d+)?$/) },
    });
    const used = { ...manifest, devDependencies: {}, scripts: {} };
    expect(JSON.stringify(used)).not.toMatch(/berth-source|workspace:|catalog:/);
    const dependencies = Object.keys(manifest.dependencies ?? {});
    const own = dependencies.filter((each) => each.startsWith('@berth'));
    expect(names).toEqual(expect.arrayContaining(own));
    // Prism is bundled, with its licences.
    if (name === '@berth/mock') expect(files.join()).toContain('/prism-http.licenses.txt');
    expect(dependencies.join()).not.toMatch(/stoplight|scarf/);
  });

  it('passes publint', async () => {
    const tarball = open(name).content.buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types wherever it has code, of the same kind', async () => {
    const result = await checkPackage(createPackageFromTarballData(open(name).content));
    const found = (result.types ? result.problems : []).filter((problem) => {
      const { resolutionKind = '', entrypoint = '' } = problem as {
        resolutionKind?: string;
        entrypoint?: string;
      };
      return !NOT_OURS.includes(resolutionKind) && !/\.(json|yaml)$/.test(entrypoint);
    });
    expect(found).toEqual([]);
  });
});

it('every dependency of a published package has a licence that is allowed', () => {
  const filters = names.flatMap((name) => ['--filter', name]);
  const args = ['licenses', 'list', '--json', '--prod', ...filters];
  const licences = Object.keys(JSON.parse(execFileSync('pnpm', args, { cwd: ROOT }).toString()));
  const isAllowed = (licence: string) =>
    licence
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((part) => part.split(' AND ').every((id) => ALLOWED.test(id)));
  expect(licences.length).toBeGreaterThan(3);
  expect(licences.filter((licence) => !isAllowed(licence))).toEqual([]);
});

it('actions of workflows are pinned to a commit, and releases have provenance', () => {
  for (const file of globSync('.github/workflows/*.yaml', { cwd: ROOT })) {
    const uses = readFileSync(join(ROOT, file), 'utf8').match(/^.*\buses:.*$/gm) ?? [];
    const pinned = /uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  }
  const release = readFileSync(join(ROOT, '.github/workflows/release.yaml'), 'utf8');
  expect(release).toMatch(/^ {6}id-token: write/m);
  expect(release).toMatch(/^ {6}PNPM_CONFIG_PROVENANCE: 'true'$/m);
});

it('client, stubs, mock, server and suite work in an empty project', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'berth-project-'));
  const children: ChildProcess[] = [];
  const commandOf = (name: string) => join(cwd, 'node_modules/.bin', name);
  const start = async (name: string, ...args: string[]) => {
    const { child, output } = await startUntilReady(commandOf(name), args, { cwd });
    children.push(child);
    return output;
  };
  const run = async (command: string, ...args: string[]) =>
    (await promisify(execFile)(command, args, { cwd })).stdout;
  try {
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(cwd, 'program.js'), PROGRAM);
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', 'install', ...options, ...tarballs.values());

    // Each command starts on the oldest Node that its package supports.
    for (const { name, bin = {} } of published) {
      for (const [command, file] of Object.entries(bin)) {
        const program = join(cwd, 'node_modules', name, file);
        expect(await run(NODE_FLOOR, program, '--help')).toContain(`Usage: ${command}`);
      }
    }

    const mock = await start('berth-mock', '--port', '0');
    const [mockUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(mock) ?? [];
    const printed = await run('node', 'program.js', mockUrl);
    expect(printed).toBe('Hello from the hosted service. A file.\n');

    writeFileSync(join(cwd, 'orders.yaml'), DOCUMENT);
    expect(await run(commandOf('berth-stubs'), 'orders.yaml', '-o', 'orders')).toMatch(
      '1 operation',
    );
    const orders = await start('berth-mock', 'orders.yaml', '--port', '0');
    const [ordersUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(orders) ?? [];
    expect(await (await fetch(`${ordersUrl}/orders`)).text()).toBe('None.');

    const server = await start('berth-server', '--port', '0', '--data', join(cwd, 'data'));
    const words =
      /^Gateway +(\S+)\/v1\/[\s\S]*^Access token +(\S+)\nKey pair +\w+=(\S+) \w+=(\S+)$/m;
    const [, url = '', token = '', id = '', secret = ''] = words.exec(server) ?? [];
    const deployment = ['--gateway-url', url, '--storage-url', url, '--gateway-token', token];
    const keys = ['--tc3-secret-id', id, '--tc3-secret-key', secret];
    const host = ['--gateway-host', 'dev.gateway.example', '--only', 'ST-META-CALL'];
    const report = await run(commandOf('berth-conformance'), ...deployment, ...keys, ...host);
    expect(report).toMatch(/^follows what was checked: 1 of /m);
  } finally {
    for (const child of children) {
      const ended = child.exitCode === null ? once(child, 'close') : undefined;
      child.kill();
      await ended;
    }
    rmSync(cwd, { recursive: true });
  }
});
