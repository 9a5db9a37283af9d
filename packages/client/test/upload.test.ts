import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Progress, StorageClient, UploadData } from '@berth/client';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from './support/fake-fetch.ts';
import { storageAt, storageWith } from './support/storage.ts';

let mock: Mock;
let folder: string;
let storage: StorageClient;
let viaFetch: StorageClient;

beforeAll(async () => {
  mock = await createMock({ maxSessionBytes: 512 * 1024 * 1024 });
  folder = await mkdtemp(join(tmpdir(), 'berth-upload-'));
  storage = storageAt(mock.storageUrl);
  viaFetch = storageAt(mock.storageUrl, { fetch: (url, init) => fetch(url, init) });
});
afterAll(async () => {
  await mock.close();
  await rm(folder, { recursive: true });
});

async function file(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}
async function* parts() {
  yield 'hé';
  yield new TextEncoder().encode('llo');
}

const KINDS: [string, () => UploadData | Promise<UploadData>][] = [
  ['a string', () => 'héllo'],
  ['bytes', () => new TextEncoder().encode('héllo')],
  ['a part of a larger buffer', () => Buffer.from('>>héllo<<').subarray(2, -2)],
  ['an ArrayBuffer', () => new TextEncoder().encode('héllo').buffer],
  ['a view of other numbers', () => new DataView(new TextEncoder().encode('héllo').buffer)],
  ['a Blob', () => new Blob(['hé', 'llo'])],
  ['a File', () => new File(['héllo'], 'other-name.txt')],
  ['a stream of the web', () => new Blob(['héllo']).stream()],
  ['a stream of Node', () => Readable.from([Buffer.from('hé'), Buffer.from('llo')])],
  ['an async iterable', () => parts()],
  ['a read stream', async () => createReadStream(await file('stream.txt', 'héllo'))],
  ['a file by its path', async () => ({ file: await file('path.txt', 'héllo') })],
  ['a file by its URL', async () => ({ file: pathToFileURL(await file('url.txt', 'héllo')) })],
];

describe.each([
  ['over node:http', () => storage],
  ['over an own fetch', () => viaFetch],
])('an upload %s', (_, client) => {
  it.each(KINDS)('accepts %s', async (_kind, make) => {
    const { fileID } = await client().upload('kind.txt', await make());
    expect(await (await storage.download(fileID)).text()).toBe('héllo');
  });

  it.each([0, 1])('uploads %d bytes of each kind, and reports the progress', async (size) => {
    const bytes = new Uint8Array(size).fill(7);
    const path = await file('small.bin', bytes);
    for (const data of [bytes, new Blob([bytes]), { file: path }, new Blob([bytes]).stream()]) {
      const seen: Progress[] = [];
      const onProgress = (progress: Progress) => seen.push(progress);
      const { fileID } = await client().upload('small.bin', data, { onProgress, size });
      const stored = await (await storage.download(fileID)).arrayBuffer();
      expect(new Uint8Array(stored)).toEqual(bytes);
      expect(seen.at(-1)).toEqual({ loaded: size, total: size });
    }
  });

  it.each(['报告/é 100%.txt', 'quote".txt', "semi;colon='x'.txt", '%41.txt', '🙂.txt'])(
    'keeps the name %s',
    async (path) => {
      const { fileID } = await client().upload(path, 'hello');
      expect(fileID.endsWith(`/${path}`)).toBe(true);
      expect(await (await storage.download(fileID)).text()).toBe('hello');
    },
  );

  it.each<[UploadData, string | undefined, string]>([
    ['é', undefined, 'application/octet-stream'],
    [Buffer.from('é'), 'text/plain', 'text/plain'],
    [new Blob(['é'], { type: 'text/css' }), undefined, 'text/css'],
    [new Blob(['é'], { type: 'text/css' }), 'text/html', 'text/html'],
  ])('of %s has a media type', async (data, contentType, expected) => {
    const { fileID } = await client().upload('typed', data, { contentType });
    const response = await storage.download(fileID);
    expect(response.headers.get('Content-Type')?.split(';')[0]).toBe(expected);
  });
});

describe('content', () => {
  it('of an avatar has at most 200 KiB', async () => {
    const avatar = new Uint8Array(204_800);
    await storage.uploadAvatar('a.png', avatar);
    const larger = new Blob([avatar, 'x']);
    await expect(storage.uploadAvatar('a.png', larger)).rejects.toThrow(RangeError);
    const stream = storage.uploadAvatar('b.png', larger.stream());
    await expect(stream).rejects.toThrow('larger than maxBytes (204800 bytes)');
  });

  it('of a local file needs a file', async () => {
    await expect(storage.upload('a', { file: folder })).rejects.toThrow('is not a file');
    const missing = storage.upload('a', { file: join(folder, 'missing') });
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([undefined, null, 1, {}, () => {}])('cannot be %s', async (data) => {
    const { storage, requests } = storageWith([]);
    expect(await failureOf(storage.upload('a.txt', data as never))).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  it.each<[string, (stream: ReadableStream) => unknown]>([
    ['is locked', (stream) => void stream.getReader()],
    ['was read', (stream) => new Response(stream).text()],
    [
      'was left after its first bytes',
      async (stream) => {
        const reader = stream.getReader();
        await reader.read();
        reader.releaseLock();
      },
    ],
  ])('cannot be a stream that %s', async (_, use) => {
    const { storage, requests } = storageWith([]);
    const ofNode = Readable.from(['hi']);
    await ofNode.toArray();
    const stream = new Blob(['hi']).stream();
    await use(stream);
    for (const data of [stream, ofNode]) {
      const error = await failureOf(storage.upload('a.txt', data));
      expect(error).toEqual(new TypeError('The stream has already been read.'));
    }
    expect(requests).toEqual([]);
  });
});
