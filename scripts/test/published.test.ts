import { execFile, execFileSync, spawn } from 'node:child_process';
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

const ROOT = join(import.meta.dirname, '../..');
interface Manifest {
  name: string;
  private?: boolean;
  bin?: Record<string, string>;
}
const published = globSync('{spec,packages/*}/package.json', { cwd: ROOT })
  .map((file) => ({
    folder: join(ROOT, file, '..'),
    manifest: JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Manifest,
  }))
  .filter(({ manifest }) => !manifest.private);
const names = published.map(({ manifest }) => manifest.name);
/** Licences that require no more than a notice. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
];
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

let folder: string;
const tarballs = new Map<string, string>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-published-'));
  for (const { folder: cwd, manifest } of published) {
    const args = ['pack', '--json', '--pack-destination', folder];
    const output = execFileSync('pnpm', args, { cwd, encoding: 'utf8' });
    tarballs.set(manifest.name, JSON.parse(output).filename);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(published)('the tarball of $manifest.name', ({ manifest: { name } }) => {
  const read = () => readFileSync(tarballs.get(name) as string);

  it('has a licence, a README and a minimum Node, and nothing that is only valid here', () => {
    const file = tarballs.get(name) as string;
    const files = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).split('\n');
    const named = ['package.json', 'README.md', 'LICENSE'].map((path) => `package/${path}`);
    expect(files).toEqual(expect.arrayContaining(named));
    expect(files.filter((path) => /\.test\.|\/test\//.test(path))).toEqual([]);
    const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
    const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(text);
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      engines: { node: expect.stringMatching(/^>=\d+(\.\d+)?$/) },
    });
    expect(JSON.stringify(manifest)).not.toMatch(/berth-source|workspace:|catalog:/);
    const own = Object.keys(manifest.dependencies ?? {}).filter((each) =>
      each.startsWith('@berth'),
    );
    expect(names).toEqual(expect.arrayContaining(own));
  });

  it('passes publint', async () => {
    const tarball = Uint8Array.from(read()).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types wherever it has code, of the same kind', async () => {
    const result = await checkPackage(createPackageFromTarballData(Uint8Array.from(read())));
    const problems = result.types ? result.problems : [];
    const found = problems.filter((problem) => {
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
  const byLicence = JSON.parse(execFileSync('pnpm', args, { cwd: ROOT, encoding: 'utf8' }));
  const isAllowed = (licence: string) =>
    licence
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((part) => part.split(' AND ').every((id) => ALLOWED.includes(id)));
  expect(Object.keys(byLicence).length).toBeGreaterThan(3);
  expect(Object.keys(byLicence).filter((licence) => !isAllowed(licence))).toEqual([]);
});

it('Prism is bundled into the mock with its licences, and not a dependency', () => {
  const file = tarballs.get('@berth/mock') as string;
  const list = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
  expect(list).toMatch(/\/prism-http\.licenses\.txt$/m);
  const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
  expect(Object.keys(JSON.parse(text).dependencies).join()).not.toMatch(/stoplight|scarf/);
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

it('client, mock, server and suite work in an empty project', async () => {
  const project = mkdtempSync(join(tmpdir(), 'berth-project-'));
  const children: ReturnType<typeof spawn>[] = [];
  /** Starts a command, and returns what it prints until it is ready. */
  const start = async (name: string, ...args: string[]) => {
    const child = spawn(join(project, 'node_modules/.bin', name), args, { cwd: project });
    children.push(child);
    let output = '';
    await new Promise<void>((ready, failed) => {
      child.on('error', failed).on('close', () => failed(new Error(output)));
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (text) => {
          output += text;
          if (/^ready$/m.test(output)) ready();
        });
      }
    });
    return output;
  };
  const run = async (command: string, ...args: string[]) => {
    return (await promisify(execFile)(command, args, { cwd: project })).stdout;
  };
  try {
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'program.js'), PROGRAM);
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', 'install', ...options, ...tarballs.values());

    // Each command starts on the oldest Node that its package supports.
    for (const { manifest } of published) {
      for (const name of Object.keys(manifest.bin ?? {})) {
        const file = join(project, 'node_modules', manifest.name, manifest.bin?.[name] ?? '');
        expect(await run(NODE_FLOOR, file, '--help')).toContain(`Usage: ${name}`);
      }
    }

    const mock = await start('berth-mock', '--port', '0');
    const [mockUrl = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(mock) ?? [];
    expect(await run('node', 'program.js', mockUrl)).toBe(
      'Hello from the hosted service. A file.\n',
    );

    const server = await start('berth-server', '--port', '0', '--data', join(project, 'data'));
    const words =
      /^Gateway +(\S+)\/v1\/[\s\S]*^Access token +(\S+)\nKey pair +\w+=(\S+) \w+=(\S+)$/m;
    const [, url = '', token = '', id = '', secret = ''] = words.exec(server) ?? [];
    const deployment = ['--gateway-url', url, '--storage-url', url, '--gateway-token', token];
    const keys = ['--tc3-secret-id', id, '--tc3-secret-key', secret];
    const host = ['--gateway-host', 'dev.gateway.example', '--only', 'ST-META-CALL'];
    const suite = join(project, 'node_modules/.bin/berth-conformance');
    expect(await run(suite, ...deployment, ...keys, ...host)).toMatch(
      /^follows what was checked: 1 of /m,
    );
  } finally {
    for (const child of children) {
      const ended = child.exitCode === null ? once(child, 'close') : undefined;
      child.kill();
      await ended;
    }
    rmSync(project, { recursive: true });
  }
});
