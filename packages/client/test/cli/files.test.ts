import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mockForTests, newFolder, runCli, SECRET } from './support/run-cli.ts';

const use = mockForTests();

async function berth(...args: string[]) {
  const { variables } = use();
  const result = await runCli(args, variables);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** A folder with files in it. */
async function newTree(files: Record<string, string>): Promise<string> {
  const root = await newFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

const namesOf = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

describe('berth cp', () => {
  it('uploads and downloads a file', async () => {
    const root = await newTree({ 'é a.txt': 'héllo' });
    const up = await berth('cp', join(root, 'é a.txt'), 'remote:/there/b 100%.txt');
    expect(up.code).toBe(0);
    expect(up.stdout).toMatch(/^cloud:\/\/dev\..+\/there\/b 100%\.txt\n$/);
    const down = await berth('cp', 'remote:/there/b 100%.txt', `${root}/`);
    expect(down).toEqual({ code: 0, stdout: `${root}/b 100%.txt\n`, stderr: '' });
    expect(await readFile(join(root, 'b 100%.txt'), 'utf8')).toBe('héllo');
    expect(await berth('cp', up.stdout.trim(), '-')).toMatchObject({ code: 0, stdout: 'héllo' });
    expect(await namesOf(root)).toEqual(['b 100%.txt', 'é a.txt']);
  });

  it('uploads a folder, without following links to folders', async () => {
    const files = { 'a.txt': 'a', 'sub/b.txt': 'bb', 'sub/deep/empty': '' };
    const root = await newTree(files);
    await symlink(root, join(root, 'loop'));
    const up = await berth('cp', '--json', root, 'remote:/tree');
    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(up.stdout).files.map((file: { path: string }) => file.path)).toEqual(
      Object.keys(files).map((name) => `tree/${name}`),
    );
  });

  it('copies within the storage', async () => {
    const root = await newTree({ a: 'A' });
    await berth('cp', join(root, 'a'), 'remote:/within/a');
    expect(await berth('cp', 'remote:/within/a', 'remote:/within/copies/')).toMatchObject({
      code: 0,
    });
    expect(await berth('cp', 'remote:/within/copies/a', '-')).toMatchObject({ stdout: 'A' });
  });

  it('reports which file failed and transfers the others', async () => {
    const root = await newTree({ a: 'A' });
    await berth('cp', join(root, 'a'), 'remote:/some/a');
    const { code, stdout, stderr } = await berth('cp', 'remote:/some/no', 'remote:/some/a', root);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${root}/a\n` });
    expect(stderr).toMatch(/remote:\/some\/no: .*STORAGE_FILE_NONEXIST/);
    expect(stderr).toContain('berth: 1 of 2 were not downloaded.\n');
    expect(await namesOf(root)).toEqual(['a']);
  });

  it('names the folder that cannot be created', async () => {
    const root = await newTree({ 'a.txt': 'a' });
    await berth('cp', join(root, 'a.txt'), 'remote:/to/a.txt');
    const file = await berth('cp', 'remote:/to/a.txt', join(root, 'a.txt/b/c.txt'));
    expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOTDIR') });
  });
});

describe('berth url, rm and mv', () => {
  it('links, moves and deletes', async () => {
    const root = await newTree({ a: 'A', b: 'B' });
    await berth('cp', join(root, 'a'), join(root, 'b'), 'remote:/life');
    const links = await berth('url', 'remote:/life/a', 'remote:/life/b', '--max-age', '60');
    const [first = '', second = ''] = links.stdout.trim().split('\n');
    expect(await (await fetch(first)).text()).toBe('A');
    expect(await (await fetch(second)).text()).toBe('B');
    expect(await berth('mv', 'remote:/life/a', 'remote:/life/c')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const { code, stdout } = await berth('url', '--json', 'remote:/life/a', 'remote:/life/c');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).files).toMatchObject([
      { file: 'remote:/life/a', error: { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' } },
      { file: 'remote:/life/c', fileID: expect.any(String), url: expect.stringContaining('http') },
    ]);
    expect(await berth('rm', 'remote:/life/b', 'remote:/life/c')).toMatchObject({ code: 0 });
    expect(await berth('rm', 'remote:/life/c')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('STORAGE_FILE_NONEXIST'),
    });
  });

  it('warns about a long lifetime on stderr only', async () => {
    const root = await newTree({ a: 'A' });
    await berth('cp', join(root, 'a'), 'remote:/long/a');
    const { stdout, stderr } = await berth('url', 'remote:/long/a', '--max-age', '3601');
    expect(stdout).toMatch(/^http.*\n$/);
    expect(stderr).toContain('3600');
  });
});
