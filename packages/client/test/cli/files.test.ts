import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, it, vi } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { cliForTests } from './run-cli.ts';

const { berth, start, session } = cliForTests();

const paths = () => Array.from(session().files.list(), ({ path }) => path).sort();

it('cp uploads a file, and downloads it into a folder or to a file', async () => {
  const root = await newFolder({ 'é a.txt': 'héllo' });
  const up = await berth(['cp', join(root, 'é a.txt'), 'remote:/there/b 100%.txt']);
  expect(up).toMatchObject({ code: 0, stderr: '' });
  expect(up.stdout).toMatch(/^cloud:\/\/dev\..+\/there\/b 100%\.txt\n$/);
  const down = await berth(['cp', 'remote:/there/b 100%.txt', `${root}/`]);
  expect(down).toEqual({ code: 0, stdout: `${root}/b 100%.txt\n`, stderr: '' });
  await berth(['cp', up.stdout.trim(), join(root, 'new/c')]);
  for (const name of ['b 100%.txt', 'new/c']) {
    expect(await readFile(join(root, name), 'utf8')).toBe('héllo');
  }
  const stderr = expect.stringMatching(
    /^berth: No link to .*STORAGE_FILE_NONEXIST.* If it is a folder, specify its files/,
  );
  expect(await berth(['cp', 'remote:/no', root])).toEqual({ code: 1, stdout: '', stderr });
  expect((await readdir(root)).sort()).toEqual(['b 100%.txt', 'new', 'é a.txt']);
});

it('cp uploads a folder, and reports everything that it cannot upload', async () => {
  const root = await newFolder({ 'site/a.txt': 'a', 'site/sub/b.txt': 'bb' });
  const site = join(root, 'site');
  expect(await berth(['cp', site, 'remote:/'])).toMatchObject({ code: 0, stderr: '' });
  expect(paths()).toEqual(['a.txt', 'sub/b.txt']);
  await symlink(root, join(site, 'loop'));
  await symlink(join(root, 'none'), join(site, 'broken'));
  const { code, stderr } = await berth(['cp', site, 'remote:/tree']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/berth: .*\/broken: .*\nberth: .*\/loop: .*not a file.*\n/);
  expect(stderr).toContain('berth: 2 of 4 files were not uploaded.\n');
  expect(paths()).toEqual(['a.txt', 'sub/b.txt', 'tree/a.txt', 'tree/sub/b.txt']);
  const empty = await berth(['cp', await newFolder(), 'remote:/tree']);
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('no files in') });
});

it('cp shows a progress bar on a terminal', async () => {
  const root = await newFolder({ a: 'a'.repeat(1_500_000) });
  const NODE_OPTIONS = '--import=data:text/javascript,process.stderr.isTTY=true';
  const { code, stderr } = await start(['cp', root, 'remote:/'], { NODE_OPTIONS }).result;
  expect(code).toBe(0);
  expect(stderr).toMatch(/#+-* +\d+% {2}\d\.\d MB of 1\.5 MB/);
});

it.each(['SIGINT', 'SIGTERM'] as const)('cp stops on %s, and says so once', async (signal) => {
  const root = await newFolder({ a: 'A', b: 'B' });
  session().faults.put('slow', 'upload:latency=600000');
  const { child, result } = start(['cp', root, 'remote:/']);
  const isUpload = ({ surface }: { surface: string }) => surface === 'upload';
  const count = () => Array.from(session().requests()).filter(isUpload).length;
  await vi.waitUntil(() => count() === 2, { timeout: 300_000 });
  child.kill(signal);
  expect(await result).toEqual({ code: 1, stdout: '', stderr: 'berth: Stopped.\n' });
});

it('url, mv and rm print a link with a warning, and move and delete a file', async () => {
  session().files.put('a', 'A');
  const { stdout, stderr } = await berth(['url', 'remote:/a', '--max-age', '3601']);
  expect(await (await fetch(stdout.trim())).text()).toBe('A');
  expect(stderr).toMatch(/^[^\n]*3600[^\n]*\n$/);
  const done = { code: 0, stdout: '', stderr: '' };
  expect(await berth(['mv', 'remote:/a', 'remote:/c'])).toEqual(done);
  expect(await berth(['mv', 'remote:/c', 'remote:/sub/'])).toEqual(done);
  expect(await berth(['mv', 'remote:/sub/c', 'remote:/'])).toEqual(done);
  expect(await berth(['rm', 'remote:/c'])).toEqual(done);
  expect(paths()).toEqual([]);
  const missing = expect.stringMatching(
    /^berth: .*STORAGE_FILE_NONEXIST.* If it is a folder, specify its files, .*\n$/,
  );
  for (const command of ['url remote:/c', 'rm remote:/c', 'mv remote:/c remote:/d']) {
    expect(await berth(command.split(' '))).toEqual({ code: 1, stdout: '', stderr: missing });
  }
});

it('speaks to a deployment with its wire profile and request form', async () => {
  await using mock = await createMock({ wireProfile: acme });
  const profile = import.meta.resolve('@berth/spec/wire-profiles/acme.json');
  const env = {
    BERTH_STORAGE_URL: mock.storageUrl,
    BERTH_WIRE_PROFILE: fileURLToPath(profile),
    BERTH_REQUEST_FORM: 'data',
  };
  const root = await newFolder({ a: 'A' });
  expect(await berth(['cp', join(root, 'a'), 'remote:/a'], env)).toMatchObject({ code: 0 });
  expect(await berth(['mv', 'remote:/a', 'remote:/b'], env)).toMatchObject({ code: 0 });
  const [first] = mock.session().requests();
  expect(first?.body).toBe('{"data":{"path":"a"}}');
});
