import { assert, assertEqual, assertFails } from '../assert.ts';
import { serviceOf, storageOf, unique } from '../clients.ts';
import { blobOf } from '../content.ts';
import type { Deployment, PlatformCase } from '../platform-case.ts';
import { SERVICES } from '../services.ts';

const STOPPED = { name: 'Stopped', message: 'enough' };

/**
 * Aborts in the middle: the promise ends with the reason of the signal, and the connection with it. Now
 * and then Chromium keeps one for another 5 s, to read its rest.
 */
export const ABORTS: readonly PlatformCase[] = [
  {
    name: 'aborts a call in the middle',
    feature: 'aborts',
    async run(deployment) {
      const id = unique('call');
      const abort = new AbortController();
      const slow = serviceOf(deployment, SERVICES.slow);
      const call = assertFails(slow.post(id, {}, { signal: abort.signal }), STOPPED);
      await slow.get(`begun/${id}`);
      abort.abort(stopped());
      await call;
      await slow.get(`ended/${id}`);
    },
  },
  {
    name: 'aborts a stream of events in the middle',
    feature: 'aborts',
    async run(deployment) {
      const id = unique('events');
      const abort = new AbortController();
      const slow = serviceOf(deployment, SERVICES.slow);
      const seen: string[] = [];
      for await (const { event } of slow.events(id, { signal: abort.signal })) {
        seen.push(event);
        setTimeout(() => abort.abort(stopped()));
      }
      assertEqual(seen, ['started']);
      await slow.get(`ended/${id}`);
    },
  },
  {
    name: 'leaves a stream of events in the middle',
    feature: 'aborts',
    async run(deployment) {
      const id = unique('left');
      const slow = serviceOf(deployment, SERVICES.slow);
      for await (const _ of slow.events(id)) break;
      await slow.get(`ended/${id}`);
    },
  },
  {
    name: 'aborts an upload in the middle, and nothing is stored',
    feature: 'aborts',
    async run(deployment) {
      const storage = storageOf(deployment);
      const path = unique('aborted.bin');
      const abort = new AbortController();
      let loaded = 0;
      const upload = storage.upload(path, blobOf(100_000_000), {
        signal: abort.signal,
        onProgress(progress) {
          loaded = progress.loaded;
          if (loaded > 0) abort.abort(stopped());
        },
      });
      await assertFails(upload, STOPPED);
      assert(loaded < 100_000_000, 'it was whole before it was aborted');
      await assertMissing(deployment, path);
    },
  },
  {
    name: 'aborts a download in the middle',
    feature: 'aborts',
    async run(deployment) {
      const storage = storageOf(deployment);
      const { fileID } = await storage.upload(unique('long.bin'), blobOf(30_000_000));
      const abort = new AbortController();
      const response = await storage.download(fileID, { signal: abort.signal });
      const reader = response.body?.getReader();
      assert((await reader?.read())?.value, 'no first bytes');
      abort.abort(stopped());
      const rest = async () => {
        for (;;) if ((await reader?.read())?.done) return;
      };
      await assertFails(rest(), STOPPED);
      await storage.delete(fileID);
    },
  },
  {
    name: 'sends nothing where the signal has aborted before',
    feature: 'aborts',
    async run(deployment) {
      const signal = AbortSignal.abort(stopped());
      await assertFails(serviceOf(deployment, SERVICES.echo).get('a', { signal }), STOPPED);
      const path = unique('never.txt');
      await assertFails(storageOf(deployment).upload(path, 'a', { signal }), STOPPED);
      await assertMissing(deployment, path);
    },
  },
];

function stopped(): Error {
  return Object.assign(new Error(STOPPED.message), { name: STOPPED.name });
}

async function assertMissing(deployment: Deployment, path: string): Promise<void> {
  const link = storageOf(deployment).tempUrl(`cloud://${deployment.envId}.files/${path}`);
  await assertFails(link, { name: 'StorageError', code: 'STORAGE_FILE_NONEXIST' });
}
