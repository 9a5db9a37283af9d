import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { storage } from './helpers/calls.ts';
import { runCli } from './helpers/cli.ts';
import { getGrant, getLink, postForm, read, toForm, upload } from './helpers/upload.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mock-'));
  folders.push(folder);
  return folder;
}

const copy = (mock: { url: string }, item: object) =>
  storage(mock, 'batchCopyFile', { fileList: [item] });

test('files outlive the mock, with their type and time', async () => {
  const dir = await makeFolder();
  let fileID = '';
  {
    await using mock = await createMock({ dir });
    mock.session().clock.set('2030-01-01T00:00:00Z', { frozen: true });
    fileID = await upload(mock, '报告/a b.css', 'content', 'text/css');
    await upload(mock, 'empty', '');
  }
  await using mock = await createMock({ dir });
  const { headers } = await fetch(await getLink(mock, fileID));
  expect(headers.get('content-type')).toBe('text/css');
  expect(headers.get('last-modified')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  expect(await read(mock, fileID)).toBe('content');
  expect(await read(mock, 'cloud://dev.files/empty')).toBe('');
  const part = await fetch(await getLink(mock, fileID), { headers: { range: 'bytes=2-4' } });
  expect([part.status, await part.text()]).toEqual([206, 'nte']);
});

test('links and grants outlive the mock along with the files, and do not work in another folder', async () => {
  const dir = await makeFolder();
  const [link, grant] = await (async () => {
    await using mock = await createMock({ dir });
    const link = await getLink(mock, await upload(mock, 'a', 'content'));
    return [link, await getGrant(mock, 'b')] as const;
  })();
  const at = ({ url }: { url: string }, address: string) =>
    url + address.replace(/^http:..[^/]+/, '');
  await using mock = await createMock({ dir });
  expect(await (await fetch(at(mock, link))).text()).toBe('content');
  const form = toForm(grant, 'b');
  expect((await postForm(at(mock, grant.url), form, new Blob(['b']))).status).toBe(204);
  await using other = await createMock({ dir: await makeFolder() });
  await upload(other, 'a', 'of the other');
  expect((await fetch(at(other, link))).status).toBe(403);
});

test.each(['/proc/none', join(import.meta.filename, 'a')])(
  'rejects the folder %s at startup, with one sentence and exit code 2',
  async (dir) => {
    const { code, stdout, stderr } = await runCli('--port', '0', '--dir', dir);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^The folder \S+ cannot be used: .+\.\n$/);
  },
);

test('copies, moves, replacements and deletions are durable, and leave no bytes behind', async () => {
  const dir = await makeFolder();
  {
    await using mock = await createMock({ dir });
    await upload(mock, 'a', 'first');
    await upload(mock, 'a', 'second');
    await copy(mock, { srcPath: 'a', dstPath: 'b' });
    await copy(mock, { srcPath: 'a', dstPath: 'c', removeOriginal: true });
    const gone = await upload(mock, 'gone', 'x');
    await storage(mock, 'batchDelete', { fileList: [gone] });
    expect(await readdir(join(dir, 'default'))).toHaveLength(4);
  }
  await using mock = await createMock({ dir });
  const files = mock.session().files.list();
  expect(files.map(({ path }) => path).sort()).toEqual(['b', 'c']);
  expect(await read(mock, 'cloud://dev.files/b')).toBe('second');
  expect(await read(mock, 'cloud://dev.files/c')).toBe('second');
  expect(await readdir(join(dir, 'default'))).toHaveLength(4);
});

test('an incomplete upload keeps the old file and leaves nothing else', async () => {
  const dir = await makeFolder();
  await using mock = await createMock({ dir });
  const fileID = await upload(mock, 'a', 'old');
  const grant = await getGrant(mock, 'a');
  const response = await fetch(grant.url, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: Object.entries(toForm(grant, 'a'))
      .map(
        ([name, value]) =>
          `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .concat('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nnew')
      .join(''),
  });
  expect(response.status).toBe(400);
  expect(await read(mock, fileID)).toBe('old');
  expect(await readdir(join(dir, 'default'))).toHaveLength(2);
});

test('the next start removes what a killed mock has left', async () => {
  const dir = await makeFolder();
  {
    await using mock = await createMock({ dir });
    await upload(mock, 'a', 'x');
    await writeFile(join(dir, 'default', 'half.bin'), 'x');
    await writeFile(join(dir, 'default', 'half.json.tmp'), '{');
  }
  await using mock = await createMock({ dir });
  expect(await read(mock, 'cloud://dev.files/a')).toBe('x');
  expect(await readdir(join(dir, 'default'))).toHaveLength(2);
});

test('a session has a folder while it has files, and maxSessions limits them', async () => {
  const dir = await makeFolder();
  await using mock = await createMock({ dir, maxSessions: 2 });
  const put = async (session: string) => {
    const headers = { 'x-mock-session': session };
    const { json } = await storage(mock, 'getUploadMetaData', { path: 'k' }, headers);
    return postForm(json.body.data.url, toForm(json.body.data, 'k'), new Blob(['x']));
  };
  await storage(mock, 'batchDelete', { fileList: [] }, { 'x-mock-session': 'none' });
  expect(await readdir(dir)).toEqual(['default']);
  expect((await put('a')).status).toBe(204);
  expect((await put('b')).status).toBe(204);
  const refused = await put('c');
  expect([refused.status, await refused.text()]).toEqual([
    500,
    expect.stringContaining(
      'already has files from 2 sessions: delete some of its subfolders, or raise',
    ),
  ]);
  expect((await put('a')).status).toBe(204);
  mock.session('a').files.delete('k');
  expect(await readdir(dir)).toHaveLength(2);
  expect((await put('c')).status).toBe(204);
});

test('ignores and reports an invalid entry, and removes nothing that it may refer to', async () => {
  const dir = await makeFolder();
  const fileID = await (async () => {
    await using mock = await createMock({ dir });
    return await upload(mock, 'a', 'kept');
  })();
  const names = ['broken.json', 'list.json', 'lost.json', 'unnamed.bin'];
  const lost = {
    key: 'b',
    size: 1,
    contentType: 'a/b',
    etag: '""',
    modified: '2030-01-01',
    content: 'c',
  };
  const texts = ['{ "key":', '[]', JSON.stringify(lost), 'x'];
  for (const [at, name] of names.entries()) {
    await writeFile(join(dir, 'default', name), texts[at] as string);
  }
  const warnings: string[] = [];
  const collect = ({ message }: Error) => void warnings.push(message);
  process.on('warning', collect);
  await using mock = await createMock({ dir });
  expect(await read(mock, fileID)).toBe('kept');
  process.off('warning', collect);
  expect(await readdir(join(dir, 'default'))).toEqual(expect.arrayContaining(names));
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toMatch(/broken\.json is invalid, so its file is ignored\.$/);
});
