import { execFile } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

let project: string;
let installed: string;

/** Packs what would be published and puts it, with its dependencies, into an empty project. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'berth-client-'));
  installed = join(project, 'node_modules/@berth/client');
  await mkdir(installed, { recursive: true });
  await run('tsc', ['-p', 'tsconfig.build.json'], { cwd: ROOT });
  await run('pnpm', ['pack', '--pack-destination', project], { cwd: ROOT });
  const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(project, tarball), '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const dependency = await realpath(join(ROOT, 'node_modules', name));
    await symlink(dependency, join(project, 'node_modules', name), 'dir');
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
}, 60_000);
afterAll(() => rm(project, { recursive: true }));

const packedFiles = async () =>
  (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('the packed client', () => {
  it.each([[[]], [['--conditions=berth-source']]])(
    'is imported by plain Node with %j',
    async (flags) => {
      const script = `
      import { createGatewayClient } from '@berth/client';
      const fetch = async (url) => Response.json({ url });
      const gateway = createGatewayClient({ baseUrl: 'https://g.example', fetch });
      const params = { path: { name: 'hello', anyPath: 'a/b?x=1' } };
      const { data } = await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params });
      process.stdout.write(data.url);`;
      const args = [...flags, '--input-type=module', '--eval', script];
      const { stdout } = await run(process.execPath, args, { cwd: project });
      expect(stdout).toBe('https://g.example/v1/cloudrun/hello/a/b?x=1');
    },
  );

  it('is typed in a strict project of the browser', async () => {
    await writeFile(
      join(project, 'main.ts'),
      `import { createStorageClient } from '@berth/client';
       const credentials = { authorization: 'a', timestamp: 1 };
       const storage = createStorageClient({ baseUrl: 'https://s.example', envId: 'dev', credentials });
       export const id: string = (await storage.upload('a.txt', new Blob(['a']))).fileID;`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
    const lib = ['--lib', 'es2023,dom,dom.iterable', '--types', '', '--skipLibCheck', 'false'];
    await run('tsc', [...options, ...lib, 'main.ts'], { cwd: project });
  });

  it('names no source, no workspace and no test', async () => {
    const text = await readFile(join(installed, 'package.json'), 'utf8');
    expect(text).not.toMatch(/workspace:|catalog:/);
    expect(Object.keys(JSON.parse(text).exports['.'])).toEqual(['types', 'default']);
    const names = (await packedFiles()).map((file) => file.slice(installed.length + 1));
    expect(names).toContain('README.md');
    expect(
      names.filter((name) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(name)),
    ).toEqual([]);
    expect(names.filter((name) => name.includes('.test.'))).toEqual([]);
  });

  it('has the command line', async () => {
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const { stdout } = await run(process.execPath, [join(installed, bin.berth), 'cp', '--help']);
    expect(stdout).toMatch(/^Usage: berth cp \[options\] <from\.\.\.> <to>/);
  });

  it('needs nothing that only Node has', async () => {
    const code = (await packedFiles()).filter(
      (file) => file.endsWith('.js') && !/\/dist\/(cli|platform\/node)\b/.test(file),
    );
    for (const file of code) {
      expect(await readFile(file, 'utf8'), file).not.toMatch(
        /\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/,
      );
    }
  });
});
