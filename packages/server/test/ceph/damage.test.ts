import { once } from 'node:events';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { BlobDamagedError, type BlobKey } from '../../src/store/blob-store.ts';
import { createS3Store } from '../../src/store/s3.ts';
import { runHere } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { deploy, errorOf, link, put } from '../storage/support/client.ts';
import { createReader, toBytes, toStream } from '../store/blob-contents.ts';
import { CREDENTIALS, newBucket, newClient, useCeph } from './support/use-ceph.ts';

const MEBIBYTE = 1024 * 1024;
const TYPE = { contentType: 'a/b' };

/** A store, and a way to change a byte of a file behind its back. */
async function openStore() {
  const options = await newBucket((await useCeph()).endpoint);
  const store = createS3Store(options);
  const client = newClient(options.endpoint ?? '');
  onTestFinished(() => store.close());
  onTestFinished(() => client.destroy());
  const damage = async (path: string, position: number) => {
    const object = { Bucket: options.bucket, Key: `dev/${path}` };
    const { Body, Metadata } = await client.send(new GetObjectCommand(object));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    await client.send(new PutObjectCommand({ ...object, Body: bytes, Metadata }));
  };
  const addForeign = (path: string) =>
    client.send(new PutObjectCommand({ Bucket: options.bucket, Key: `dev/${path}`, Body: 'x' }));
  return { options, store, damage, addForeign };
}

describeOn('ceph', 'a damaged file', () => {
  test('is never sent to its end, nor is a copy', async () => {
    const { store, damage } = await openStore();
    const to = await deploy({ blobs: store });
    const size = 12 * MEBIBYTE;
    const [from, copy] = ['a', 'copy'].map((path) => ({ env: 'dev', path }));
    await store.write(from as BlobKey, toStream(toBytes(size)), TYPE);
    await store.copy(from as BlobKey, copy as BlobKey, { overwrite: false });
    for (const path of ['a', 'copy']) {
      await damage(path, size - 1);
      const response = await fetch(await link(to, `cloud://dev.files/${path}`));
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      await expect.poll(() => to.errors.splice(0)).toEqual([expect.any(BlobDamagedError)]);
      const part = await fetch(await link(to, `cloud://dev.files/${path}`), {
        headers: { range: 'bytes=0-9' },
      });
      expect(Buffer.from(await part.arrayBuffer())).toEqual(toBytes(10));
    }
  });

  test('is refused before a byte is sent if it is short, and so is a copy', async () => {
    const { store, damage } = await openStore();
    const to = await deploy({ blobs: store });
    await put(to, 'a', 'content');
    await damage('a', 3);
    const [from, copy] = ['a', 'copy'].map((path) => ({ env: 'dev', path }));
    await store.copy(from as BlobKey, copy as BlobKey, { overwrite: false });
    for (const path of ['a', 'copy']) {
      const response = await fetch(await link(to, `cloud://dev.files/${path}`));
      expect(response.status).toBe(500);
      expect(await errorOf(response)).toMatchObject({ Code: 'InternalError' });
    }
  });

  test('is found by fsck, which reads every file', async () => {
    const { options, store, damage, addForeign } = await openStore();
    for (const path of ['c', 'a/b', 'a', 'large']) {
      const bytes = toBytes(path === 'large' ? 9 * MEBIBYTE : 1000);
      await store.write({ env: 'dev', path }, toStream(bytes), TYPE);
    }
    await damage('a', 500);
    await damage('large', 500);
    await addForeign('foreign');
    const settings = [
      `driver: s3, endpoint: '${options.endpoint}', bucket: ${options.bucket}`,
      `accessKeyId: ${CREDENTIALS.accessKeyId}, secretAccessKey: ${CREDENTIALS.secretAccessKey}`,
    ].join(', ');
    const rest =
      'keys: [{ secret: a-secret-of-at-least-32-characters }]\nenvironments: { dev: {} }';
    const folder = await makeFolder({ 'berth.yaml': `store: { ${settings} }\n${rest}\n` });
    const fsck = await runHere(folder, 'fsck', '--config', 'berth.yaml');
    expect(fsck.stdout.split('\n')).toEqual([
      expect.stringMatching(/^damaged: dev\/a: A file is damaged: the CRC-32 of its content is /),
      expect.stringMatching(/^damaged: dev\/large: /),
      `5 files, ${9 * MEBIBYTE + 3001} bytes, 2 problems, 1 files without a checksum.`,
      '',
    ]);
    expect(fsck).toMatchObject({ code: 1, stderr: expect.stringContaining('restore them') });
    const repair = await runHere(folder, 'fsck', '--config', 'berth.yaml', '--repair');
    expect(repair).toMatchObject({ code: 2, stderr: expect.stringContaining('--repair only') });
  });

  test('and readers that disconnect leave no connection behind', async () => {
    const { store } = await openStore();
    const key = { env: 'dev', path: 'a' };
    await store.write(key, toStream(toBytes(4 * MEBIBYTE)), TYPE);
    const isOpen = (name: string) => name === 'TCPSocketWrap';
    const before = process.getActiveResourcesInfo().filter(isOpen).length;
    for (let round = 0; round < 5; round++) {
      await (await store.open(key))?.close();
      const stream = (await store.open(key))?.read();
      await new Promise((resolve) => stream?.once('data', resolve));
      stream?.destroy();
      const { reader, bytesOf } = createReader();
      bytesOf().catch(() => {});
      reader.destroy();
      await once(reader, 'close');
      await expect((await store.open(key))?.sendTo(reader)).rejects.toThrow();
    }
    await expect
      .poll(() => process.getActiveResourcesInfo().filter(isOpen).length)
      .toBeLessThanOrEqual(before + 2);
  });
});
