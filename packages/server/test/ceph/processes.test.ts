import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { createS3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { hashOf, readAll } from '../blobs/blob-contents.ts';
import { startChild } from '../blobs/children/start-child.ts';
import { listLeftovers, newBucket, useCeph } from './support/use-ceph.ts';

/** Enough that all 100 writers are busy. */
const ACKNOWLEDGED = 150;

describeOn('ceph', 'processes on one store', () => {
  test('D28: keeps what was acknowledged after a kill, and nothing partial is visible', async () => {
    const options = await newBucket((await useCeph()).endpoint);
    const child = startChild('../../ceph/children/write-files.ts', [JSON.stringify(options)]);
    const acknowledged = new Map<string, { etag: string; hash: string }>();
    let count = 0;
    let isBusy = false;
    for await (const line of child.lines) {
      const { path, etag, hash } = JSON.parse(line);
      acknowledged.set(path, { etag, hash });
      count++;
      if (count < ACKNOWLEDGED || isBusy) continue;
      // While stopped, it cannot finish an upload that the test looks for.
      child.process.kill('SIGSTOP');
      isBusy = (await listLeftovers(options)).length > 1;
      child.process.kill(isBusy ? 'SIGKILL' : 'SIGCONT');
    }
    expect(await child.ended).toBe('SIGKILL');

    const store = createS3BlobStore(options);
    onTestFinished(() => store.close());
    let replaced = 0;
    for (const [path, { etag, hash }] of acknowledged) {
      const key = { env: 'dev', path };
      const content = await readAll(store, key);
      const found = await store.stat(key);
      expect(content?.length).toBe(found?.size);
      // Each of the 100 may have replaced one file without receiving the response.
      if (found?.etag !== etag) replaced++;
      else expect(content && hashOf(content)).toBe(hash);
    }
    expect(replaced).toBeLessThanOrEqual(100);

    const litter = await listLeftovers(options);
    expect(litter.length).toBeGreaterThan(0);
    expect(await store.sweep(new Date(Date.now() + 60_000))).toBe(litter.length);
    expect(await listLeftovers(options)).toEqual([]);
  });
});
