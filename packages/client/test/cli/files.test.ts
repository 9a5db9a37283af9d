import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { cliForTests, newFolder } from './run-cli.ts';

const { berth, session } = cliForTests();

const put = (path: string, content = 'A') => session().files.put(path, content);
const paths = () => Array.from(session().files.list(), ({ path }) => path).sort();

describe('berth cp', () => {
  it('uploads, downloads and prints a file', async () => {
    const root = await newFolder({ 'é a.txt': 'héllo' });
    const up = await berth(['cp', join(root, 'é a.txt'), 'remote:/there/b 100%.txt']);
    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(up.stdout).toMatch(/^cloud:\/\/dev\..+\/there\/b 100%\.txt\n$/);
    const down = await berth(['cp', 'remote:/there/b 100%.txt', `${root}/`]);
    expect(down).toEqual({ code: 0, stdout: `${root}/b 100%.txt\n`, stderr: '' });
    expect(await readFile(join(root, 'b 100%.txt'), 'utf8')).toBe('héllo');
    expect((await readdir(root)).sort()).toEqual(['b 100%.txt', 'é a.txt']);
    const printed = await berth(['cp', up.stdout.trim(), 'remote:/there/b 100%.txt', '-']);
    expect(printed).toEqual({ code: 0, stdout: 'héllohéllo', stderr: '' });
  });

  it('uploads folders and files', async () => {
    const root = await newFolder({ 'site/a.txt': 'a', 'site/sub/b.txt': 'bb', 'c.txt': '' });
    const site = join(root, 'site');
    expect(await berth(['cp', site, 'remote:/'])).toMatchObject({ code: 0, stderr: '' });
    expect(paths()).toEqual(['a.txt', 'sub/b.txt']);
    session().reset();
    const { stdout } = await berth(['cp', `${site}/sub/..`, join(root, 'c.txt'), 'remote:/to']);
    const expected = ['to/site/a.txt', 'to/site/sub/b.txt', 'to/c.txt'];
    expect(stdout).toMatch(new RegExp(expected.map((path) => `cloud://\\S+/${path}\\n`).join('')));
    expect(paths()).toEqual(expected.sort());
  });

  it('reports everything that it cannot upload, and uploads the others', async () => {
    const root = await newFolder({ 'a.txt': 'a' });
    await symlink(root, join(root, 'loop'));
    await symlink(join(root, 'none'), join(root, 'broken'));
    const { code, stderr } = await berth(['cp', root, 'remote:/tree']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/berth: .*\/broken: .*\nberth: .*\/loop: .*not a file.*\n/);
    expect(stderr).toContain('berth: 2 of 3 were not uploaded.\n');
    expect(paths()).toEqual(['tree/a.txt']);
    const empty = await berth(['cp', await newFolder(), 'remote:/tree']);
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('no files in') });
  });

  it('creates the folders of a download, and reports which file failed', async () => {
    const root = await newFolder({ 'a.txt': 'a' });
    put('some/a');
    const names = ['remote:/no', 'remote:/some/a'];
    const { code, stdout, stderr } = await berth(['cp', ...names, join(root, 'b/c')]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${root}/b/c/a\n` });
    expect(stderr).toMatch(/remote:\/no: .*STORAGE_FILE_NONEXIST/);
    expect(stderr).toContain('berth: 1 of 2 were not downloaded.\n');
    expect(await readdir(join(root, 'b/c'))).toEqual(['a']);
    expect(await berth(['cp', 'remote:/some/a', join(root, 'd/e')])).toMatchObject({ code: 0 });
    expect(await readFile(join(root, 'd/e'), 'utf8')).toBe('A');
    const failed = await berth(['cp', 'remote:/some/a', join(root, 'a.txt/c')]);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
  });

  it('shows a progress bar on a terminal', async () => {
    const root = await newFolder({ a: 'a'.repeat(1_500_000) });
    const NODE_OPTIONS = '--import=data:text/javascript,process.stderr.isTTY=true';
    const { code, stderr } = await berth(['cp', root, 'remote:/'], { env: { NODE_OPTIONS } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/#+-* +\d+% {2}\d\.\d MB of 1\.5 MB/);
  });
});

describe('berth url, rm and mv', () => {
  it('print links, warn once about their lifetime, and delete and move files', async () => {
    put('a', 'A');
    const fileID = put('b', 'B');
    const args = ['url', 'remote:/a', fileID, '--max-age', '3601'];
    const { stdout, stderr } = await berth(args);
    const [first = '', second = ''] = stdout.trim().split('\n');
    expect(await (await fetch(first)).text()).toBe('A');
    expect(await (await fetch(second)).text()).toBe('B');
    expect(stderr).toMatch(/^[^\n]*3600[^\n]*\n$/);
    const moved = await berth(['mv', 'remote:/a', 'remote:/c']);
    expect(moved).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await berth(['rm', fileID, 'remote:/c'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(paths()).toEqual([]);
  });

  it('report each file that fails', async () => {
    put('a');
    const { code, stdout } = await berth(['url', 'remote:/none', 'remote:/a']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^http\S+\n$/)]);
    const deleted = await berth(['rm', 'remote:/none', 'remote:/a']);
    expect(deleted).toMatchObject({ code: 1, stdout: '' });
    expect(deleted.stderr).toMatch(/^berth: remote:\/none: .*STORAGE_FILE_NONEXIST/);
    expect(paths()).toEqual([]);
    const moved = await berth(['mv', 'remote:/none', 'remote:/b']);
    expect(moved).toMatchObject({ code: 1, stderr: expect.stringMatching(/^berth: Not moved: /) });
  });
});

it('speaks to a deployment with its wire profile', async () => {
  await using mock = await createMock({ wireProfile: acme });
  const BERTH_WIRE_PROFILE = fileURLToPath(
    import.meta.resolve('@berth/spec/wire-profiles/acme.json'),
  );
  const env = { BERTH_STORAGE_URL: mock.storageUrl, BERTH_WIRE_PROFILE };
  const root = await newFolder({ a: 'A' });
  expect(await berth(['cp', join(root, 'a'), 'remote:/a'], { env })).toMatchObject({ code: 0 });
  expect(await berth(['mv', 'remote:/a', 'remote:/b'], { env })).toMatchObject({ code: 0 });
  expect(await berth(['cp', 'remote:/b', '-'], { env })).toMatchObject({ stdout: 'A' });
});
