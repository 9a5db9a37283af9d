import { once } from 'node:events';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { BlobDamagedError } from '../../src/blobs/blob-store.ts';
import { createS3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { createReader, toBytes, toStream } from '../blobs/blob-contents.ts';
import { Cli } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { deploy, errorOf, link, put } from '../storage/support/client.ts';
import { CREDENTIALS, newBucket, newClient, useCeph } from './support/use-ceph.ts';

const MEBIBYTE = 1024 * 1024;
const TYPE = { contentType: 'a/b' };

/** A store, and a way to change a byte of a file behind its back. */
async function openStore() {
  const options = await newBucket((await useCeph()).endpoint);
  const store = createS3BlobStore(options);
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
  test.each([12 * MEBIBYTE, 3 * MEBIBYTE])('of %i bytes is never sent to its end', async (size) => {
    const { store, damage } = await openStore();
    const to = await deploy({ blobs: store });
    await store.write({ env: 'dev', path: 'a' }, toStream(toBytes(size)), TYPE);
    for (const overwrite of [true, false]) {
      await store.copy(
        { env: 'dev', path: 'a' },
        { env: 'dev', path: `${overwrite}` },
        { overwrite },
      );
    }
    for (const path of ['a', 'true', 'false']) {
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

  test('is refused before a byte is sent if it is short, and is not copied', async () => {
    const { store, damage } = await openStore();
    const to = await deploy({ blobs: store });
    const address = await link(to, await put(to, 'a', 'content'));
    await damage('a', 3);
    const response = await fetch(address);
    expect(response.status).toBe(500);
    expect(await errorOf(response)).toMatchObject({ Code: 'InternalError' });
    const copy = store.copy(
      { env: 'dev', path: 'a' },
      { env: 'dev', path: 'b' },
      { overwrite: false },
    );
    await expect(copy).rejects.toThrow();
    expect(await store.stat({ env: 'dev', path: 'b' })).toBeUndefined();
  });

  test('is found by a scan, which reads every file', async () => {
    const { options, store, damage, addForeign } = await openStore();
    for (const path of ['c', 'a/b', 'a', 'large']) {
      const bytes = toBytes(path === 'large' ? 9 * MEBIBYTE : 1000);
      await store.write({ env: 'dev', path }, toStream(bytes), TYPE);
    }
    await damage('a', 500);
    await damage('large', 500);
    await addForeign('foreign');
    const scan = async () => {
      const found: unknown[] = [];
      for await (const { name, check } of store.scan()) found.push([name, await check()]);
      return found;
    };
    const all = await scan();
    expect(all).toMatchObject([
      ['dev/a', { bytes: 1000, damage: expect.stringContaining('CRC-32') }],
      ['dev/a/b', { bytes: 1000, damage: undefined }],
      ['dev/c', { bytes: 1000, damage: undefined }],
      ['dev/foreign', { bytes: 1, isUnverified: true }],
      ['dev/large', { bytes: 9 * MEBIBYTE, damage: expect.stringContaining('CRC-32') }],
    ]);
    const settings = [
      `driver: s3, endpoint: '${options.endpoint}', bucket: ${options.bucket}`,
      `accessKeyId: ${CREDENTIALS.accessKeyId}, secretAccessKey: ${CREDENTIALS.secretAccessKey}`,
    ].join(', ');
    const rest =
      'keys: [{ secret: a-secret-of-at-least-32-characters }]\nenvironments: { dev: {} }';
    const folder = await makeFolder({ 'berth.yaml': `store: { ${settings} }\n${rest}\n` });
    const fsck = await new Cli(folder, ['fsck', '--config', 'berth.yaml']).finish();
    expect(fsck.stdout.split('\n')).toEqual([
      expect.stringMatching(/^damaged: dev\/a: A file is damaged: the CRC-32 of its content is /),
      expect.stringMatching(/^damaged: dev\/large: /),
      `5 files, ${9 * MEBIBYTE + 3001} bytes, 2 problems, 1 files without a checksum.`,
      '',
    ]);
    expect(fsck).toMatchObject({ code: 1, stderr: expect.stringContaining('restore them') });
    const repair = await new Cli(folder, ['fsck', '--config', 'berth.yaml', '--repair']).finish();
    expect(repair).toMatchObject({ code: 2, stderr: expect.stringContaining('--repair only') });
  });

  test('leaves no connection behind if the reader is gone before the first byte', async () => {
    const { store } = await openStore();
    const key = { env: 'dev', path: 'a' };
    await store.write(key, toStream(toBytes(4 * MEBIBYTE)), TYPE);
    const isOpen = (name: string) => name === 'TCPSocketWrap';
    const before = process.getActiveResourcesInfo().filter(isOpen).length;
    for (let round = 0; round < 10; round++) {
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
