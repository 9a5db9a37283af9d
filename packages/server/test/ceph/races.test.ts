import { once } from 'node:events';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { createS3Store } from '../../src/store/s3.ts';
import { startService } from '../server/support/hosted-service.ts';
import { call, contentOf, deploy, put } from '../storage/support/client.ts';
import { listLeftovers, newBucket, newClient, useCeph } from './support/use-ceph.ts';

const seam = vi.hoisted(() => ({ onQueue: () => {} }));

vi.mock('../../src/store/locks.ts', async (importOriginal) => {
  const { withLocks } = await importOriginal<typeof import('../../src/store/locks.ts')>();
  return {
    withLocks: (names: readonly string[], work: () => Promise<unknown>) => {
      seam.onQueue();
      return withLocks(names, work);
    },
  };
});

/** Waits until operations in progress are done, or blocked by a lock. */
async function untilDoneOrQueued(work: Promise<unknown>): Promise<void> {
  const queued = new Promise<void>((resolve) => {
    seam.onQueue = resolve;
  });
  await Promise.race([work, queued]);
}

async function deployGated() {
  const options = await newBucket((await useCeph()).endpoint);
  const gate = await openGate(options.endpoint ?? '');
  const to = await deploy({ blobs: createS3Store({ ...options, endpoint: gate.endpoint }) });
  const move = async (dstPath: string, overwrite = true) => {
    const item = { srcPath: '/file', dstPath, overwrite, removeOriginal: true };
    return (await call(to, 'batchCopyFile', { fileList: [item] })).data.fileList[0]?.code;
  };
  const client = newClient(options.endpoint ?? '');
  onTestFinished(() => client.destroy());
  /** Uploads the file with this content and other metadata, as another process does. */
  const sendUpload = (Body: string) => {
    const metadata = { ContentType: 'text/css', Metadata: { etag: 'another' } };
    const file = { Bucket: options.bucket, Key: 'dev/file', Body };
    return client.send(new PutObjectCommand({ ...file, ...metadata }));
  };
  return { options, gate, to, move, client, sendUpload };
}

describeOn('ceph', 'races on one store', () => {
  describe.each([true, false])('a move, overwrite %j', (overwrite) => {
    test.each(['new', 'old'])('loses no upload of %j before its deletion', async (content) => {
      const { gate, to, move } = await deployGated();
      await put(to, 'file', 'old');
      let upload: Promise<unknown> | undefined;
      gate.before = async (method, path) => {
        if (upload || method !== 'DELETE' || !path.includes('/file')) return;
        upload = put(to, 'file', content, { type: 'text/css' });
        await untilDoneOrQueued(upload);
      };
      expect(await move('/moved', overwrite)).toBeUndefined();
      await upload;
      expect(await contentOf(to, 'file')).toBe(content);
      expect((await to.blobs.stat({ env: 'dev', path: 'file' }))?.contentType).toBe('text/css');
      expect(await contentOf(to, 'moved')).toBe('old');
    });

    test('loses no upload of the same bytes by another process while it copies', async () => {
      const { gate, to, move, sendUpload } = await deployGated();
      await put(to, 'file', 'old');
      gate.before = async (method, path) => {
        if (method === 'PUT' && path.includes('/moved')) await sendUpload('old');
      };
      expect(await move('/moved', overwrite)).toBeUndefined();
      const stats = await to.blobs.stat({ env: 'dev', path: 'file' });
      expect(stats?.contentType).toBe('text/css');
    });
  });

  test('a copy takes content and metadata of one version, whatever other processes write', async () => {
    const { gate, to, sendUpload } = await deployGated();
    await put(to, 'file', 'old');
    const old = await to.blobs.stat({ env: 'dev', path: 'file' });
    gate.before = async (method, path) => {
      if (method === 'PUT' && path.includes('/copy')) await sendUpload('new');
    };
    await call(to, 'batchCopyFile', { fileList: [{ srcPath: '/file', dstPath: '/copy' }] });
    const copied = await to.blobs.stat({ env: 'dev', path: 'copy' });
    const found = [await contentOf(to, 'copy'), copied?.etag, copied?.contentType];
    expect([
      ['old', old?.etag, old?.contentType],
      ['new', 'another', 'text/css'],
    ]).toContainEqual(found);
  });

  test('a sweep keeps the uploads of other programs, even without a prefix', async () => {
    const { options, to, client } = await deployGated();
    const foreign = { Bucket: options.bucket, Key: 'backups/of-somebody-else' };
    await client.send(new CreateMultipartUploadCommand(foreign));
    expect(await to.blobs.sweep(new Date(Date.now() + 60_000))).toBe(0);
    expect(await listLeftovers(options)).toEqual([foreign.Key]);
  });
});

/** A proxy in front of the store that calls back before it forwards a call. */
interface Gate {
  readonly endpoint: string;
  before: ((method: string, path: string) => Promise<unknown>) | undefined;
}

async function openGate(endpoint: string): Promise<Gate> {
  const { hostname, port } = new URL(endpoint);
  const url = await startService(async (call, response) => {
    try {
      const { method = '', url = '', headers } = call;
      await gate.before?.(method, url);
      // The signature covers the host name of this proxy, so it is forwarded.
      const outgoing = request({ hostname, port, method, path: url, headers });
      const sent = pipeline(call, outgoing);
      const [incoming] = await once(outgoing, 'response');
      response.writeHead(incoming.statusCode, incoming.headers);
      await Promise.all([sent, pipeline(incoming, response)]);
    } catch {
      response.destroy();
    }
  });
  const gate: Gate = { endpoint: url, before: undefined };
  return gate;
}
