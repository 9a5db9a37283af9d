import { once } from 'node:events';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { createS3Store } from '../../src/store/s3.ts';
import { startService } from '../server/support/hosted-service.ts';
import { toStream } from '../store/blob-contents.ts';
import { listLeftovers, newBucket, newClient, useCeph } from './support/use-ceph.ts';

const [FROM, TO] = ['file', 'moved'].map((path) => ({ env: 'dev', path })) as [Key, Key];
type Key = { env: string; path: string };

/** A store behind a gate, and a client that knows nothing of locks. */
async function openGatedStore() {
  const options = await newBucket((await useCeph()).endpoint);
  const gate = await openGate(options.endpoint ?? '');
  const store = createS3Store({ ...options, endpoint: gate.endpoint });
  const client = newClient(options.endpoint ?? '');
  onTestFinished(() => store.close());
  onTestFinished(() => client.destroy());
  return { options, gate, store, client };
}

describeOn('ceph', 'another program in the bucket', () => {
  test.each([true, false])('may replace the source of a move, overwrite %j', async (overwrite) => {
    const { options, gate, store, client } = await openGatedStore();
    await store.write(FROM, toStream(Buffer.from('same')), { contentType: 'a/b' });
    gate.before = async (method, path) => {
      if (method !== 'PUT' || !path.includes('/moved')) return;
      // The same bytes, so that the ETag in the store stays the same.
      const file = { Bucket: options.bucket, Key: 'dev/file', Body: 'same' };
      await client.send(new PutObjectCommand({ ...file, ContentType: 'text/css' }));
    };
    await store.copy(FROM, TO, { overwrite, move: true });
    expect((await store.stat(FROM))?.contentType).toBe('text/css');
  });

  test('keeps its uploads when the store sweeps its prefix', async () => {
    const { options, client } = await openGatedStore();
    const store = createS3Store({ ...options, prefix: 'berth/' });
    onTestFinished(() => store.close());
    const foreign = { Bucket: options.bucket, Key: 'backups/of-somebody-else' };
    await client.send(new CreateMultipartUploadCommand(foreign));
    expect(await store.sweep(new Date(Date.now() + 60_000))).toBe(0);
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
