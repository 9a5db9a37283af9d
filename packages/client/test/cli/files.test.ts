import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { cliForTests, newFolder } from './run-cli.ts';

const { berth, session } = cliForTests();

const put = (path: string, content = 'A') => session().files.put(path, content);
const paths = () =>
  session()
    .files.list()
    .map(({ path }) => path)
    .sort();

describe('berth cp', () => {
  it('uploads and downloads a file', async () => {
    const root = await newFolder({ 'é a.txt': 'héllo' });
    const up = await berth(['cp', join(root, 'é a.txt'), 'remote:/there/b 100%.txt']);
    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(up.stdout).toMatch(/^cloud:\/\/dev\..+\/there\/b 100%\.txt\n$/);
    const down = await berth(['cp', 'remote:/there/b 100%.txt', `${root}/`]);
    expect(down).toEqual({ code: 0, stdout: `${root}/b 100%.txt\n`, stderr: '' });
    expect(await readFile(join(root, 'b 100%.txt'), 'utf8')).toBe('héllo');
    expect((await readdir(root)).sort()).toEqual(['b 100%.txt', 'é a.txt']);
  });

  it('prints files, by path and by ID', async () => {
    const fileID = put('a', 'A');
    put('b', 'B');
    const printed = await berth(['cp', fileID, 'remote:/b', '-']);
    expect(printed).toEqual({ code: 0, stdout: 'AB', stderr: '' });
  });

  it('uploads folders and files, and prints nothing with --quiet', async () => {
    const root = await newFolder({ 'site/a.txt': 'a', 'site/sub/b.txt': 'bb', 'c.txt': '' });
    const names = [join(root, 'site'), join(root, 'c.txt')];
    const quiet = await berth(['cp', '-q', names[0] as string, 'remote:/']);
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(paths()).toEqual(['a.txt', 'sub/b.txt']);
    session().reset();
    const { code, stdout } = await berth(['cp', '--json', ...names, 'remote:/to']);
    expect(code).toBe(0);
    const { files } = JSON.parse(stdout) as { files: { path: string; fileID: string }[] };
    expect(files.map(({ path }) => path)).toEqual([
      'to/site/a.txt',
      'to/site/sub/b.txt',
      'to/c.txt',
    ]);
    expect(paths()).toEqual(['to/c.txt', 'to/site/a.txt', 'to/site/sub/b.txt']);
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

  it('reports which file failed, and downloads the others', async () => {
    const root = await newFolder();
    put('some/a');
    const { code, stdout, stderr } = await berth(['cp', 'remote:/no', 'remote:/some/a', root]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${root}/a\n` });
    expect(stderr).toMatch(/remote:\/no: .*STORAGE_FILE_NONEXIST/);
    expect(stderr).toContain('berth: 1 of 2 were not downloaded.\n');
    expect(await readdir(root)).toEqual(['a']);
  });

  it('creates the folders of a download, or names the one that it cannot create', async () => {
    const root = await newFolder({ 'a.txt': 'a' });
    put('a');
    expect(await berth(['cp', 'remote:/a', join(root, 'b/c')])).toMatchObject({ code: 0 });
    expect(await readFile(join(root, 'b/c'), 'utf8')).toBe('A');
    const failed = await berth(['cp', 'remote:/a', join(root, 'a.txt/c')]);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
  });

  it('shows a progress bar on a terminal, unless that is not wanted', async () => {
    const root = await newFolder({ a: 'a'.repeat(1_500_000) });
    const NODE_OPTIONS = '--import=data:text/javascript,process.stderr.isTTY=true';
    const args = ['cp', root, 'remote:/'];
    const { code, stderr } = await berth(args, { env: { NODE_OPTIONS } });
    expect(code).toBe(0);
    expect(stderr).toMatch(/#+-* +\d+% {2}\d\.\d MB of 1\.5 MB/);
    for (const option of ['-q', '--json']) {
      const result = await berth([...args, option], { env: { NODE_OPTIONS } });
      expect(result).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('berth url, rm and mv', () => {
  it('print links, and delete and move files', async () => {
    put('a', 'A');
    const fileID = put('b', 'B');
    const links = await berth(['url', 'remote:/a', fileID, '--max-age', '60']);
    const [first = '', second = ''] = links.stdout.trim().split('\n');
    expect(await (await fetch(first)).text()).toBe('A');
    expect(await (await fetch(second)).text()).toBe('B');
    const moved = await berth(['mv', 'remote:/a', 'remote:/c']);
    expect(moved).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await berth(['rm', fileID, 'remote:/c'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(paths()).toEqual([]);
  });

  it('report each file that fails', async () => {
    put('a');
    const { code, stdout } = await berth(['url', '--json', 'remote:/none', 'remote:/a']);
    expect(code).toBe(1);
    const error = { kind: 'storage', code: 'STORAGE_FILE_NONEXIST', status: 200 };
    const url = expect.stringContaining('http');
    expect(JSON.parse(stdout).files).toMatchObject([
      { file: 'remote:/none', error },
      { file: 'remote:/a', fileID: expect.any(String), url },
    ]);
    const deleted = await berth(['rm', 'remote:/none', 'remote:/a']);
    expect(deleted).toMatchObject({ code: 1, stdout: '' });
    expect(deleted.stderr).toMatch(/^berth: remote:\/none: .*STORAGE_FILE_NONEXIST/);
    expect(paths()).toEqual([]);
    expect(await berth(['mv', 'remote:/none', 'remote:/b'])).toMatchObject({ code: 1 });
  });

  it('warn once about a long lifetime, on stderr', async () => {
    put('a');
    put('b');
    const args = ['url', 'remote:/a', 'remote:/b', '--max-age', '3601'];
    const { stdout, stderr } = await berth(args);
    expect(stdout).toMatch(/^http.*\nhttp.*\n$/);
    expect(stderr).toMatch(/^[^\n]*3600[^\n]*\n$/);
    expect(await berth([...args, '-q'])).toMatchObject({ stderr: '' });
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
