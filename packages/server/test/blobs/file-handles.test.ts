import { once } from 'node:events';
import { readdir, readlink, truncate } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore, OpenBlob } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { createLayout } from '../../src/blobs/file/layout.ts';
import { createReader, toBrokenStream, toBytes, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

const key = { env: 'dev', path: 'file' };
const empty = { env: 'dev', path: 'empty' };
const options = { contentType: 'a/b' };
let root: string;
let store: BlobStore;

beforeEach(async () => {
  root = await useTempFolder();
  store = await createFileBlobStore({ root });
  await store.write(key, toStream(toBytes(3_000_000)), options);
  await store.write(empty, toStream(Buffer.alloc(0)), options);
});

async function open(of = key): Promise<OpenBlob> {
  const blob = await store.open(of);
  if (blob === undefined) throw new Error(`There is no file ${of.path}.`);
  return blob;
}

const endings: Record<string, () => Promise<unknown>> = {
  'looked up and not opened': () => store.stat(key),
  'opened and closed': async () => (await open()).close(),
  'closed twice': async () => {
    const blob = await open();
    await blob.close();
    await blob.close();
  },
  'read to its end': async () => {
    const blob = await open();
    await buffer(blob.read());
    await blob.close();
  },
  'empty, and read to its end': async () => {
    const stream = (await open(empty)).read();
    await buffer(stream);
    if (!stream.closed) await once(stream, 'close');
  },
  'empty, and never read': async () => {
    const stream = (await open(empty)).read();
    stream.destroy();
    await once(stream, 'close');
  },
  'destroyed before a byte was read': async () => {
    const stream = (await open()).read();
    stream.destroy();
    await once(stream, 'close');
  },
  'destroyed with an error halfway': async () => {
    const stream = (await open()).read();
    stream.once('data', () => stream.destroy(new Error('gone')));
    await expect(once(stream, 'close')).rejects.toThrow('gone');
  },
  'sent to its end': async () => {
    await (await open()).sendTo(createReader().reader);
  },
  'empty, and sent': async () => {
    await (await open(empty)).sendTo(createReader().reader);
  },
  'sent to a reader that disconnects': async () => {
    const target = new Writable({ write: () => target.destroy() });
    await expect((await open()).sendTo(target)).rejects.toThrow('Premature close');
  },
  'sent to a reader that fails': async () => {
    const target = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) });
    target.on('error', () => {});
    await expect((await open()).sendTo(target)).rejects.toThrow('full');
  },
  damaged: async () => {
    await truncate(createLayout(root).fileOf(key), 10);
    await expect(store.open(key)).rejects.toThrow('damaged');
  },
  'copied, successfully and in vain': async () => {
    await store.copy(key, { env: 'dev', path: 'copy' }, { overwrite: false });
    await expect(
      store.copy(key, { env: 'dev', path: 'copy' }, { overwrite: false }),
    ).rejects.toThrow('already');
  },
  'written in vain': async () => {
    const torn = toBrokenStream(toBytes(3_000_000), (stream) => stream.destroy(new Error('torn')));
    await expect(store.write(key, torn, options)).rejects.toThrow('torn');
  },
};

// Only Linux lists the open files of a process, in /proc.
describe.skipIf(process.platform !== 'linux')('closes every handle of a file that was', () => {
  const openHandles = async () => {
    const names = await readdir('/proc/self/fd');
    const targets = names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
    return (await Promise.all(targets)).filter((target) => target.startsWith(root));
  };

  test.each(Object.keys(endings))('%s', async (name) => {
    await endings[name]?.();
    expect(await openHandles()).toEqual([]);
  });
});
