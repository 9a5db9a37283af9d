import { assert, assertEqual, assertFails } from '../assert.ts';
import { serviceOf, storageOf, unique } from '../clients.ts';
import { blobOf, LARGE } from '../content.ts';
import type { Deployment, PlatformCase } from '../platform-case.ts';
import { SERVICES } from '../services.ts';

/**
 * How long it takes to transfer all of {@link LARGE} on a slow machine and the slowest platform, in
 * milliseconds.
 */
const WHOLE = 2_000;
const STOPPED = { name: 'Stopped', message: 'enough' };

/**
 * Aborts in the middle: the promise rejects with the signal's reason, and the connection closes.
 * Chromium occasionally keeps a connection for another 5 s to read the rest.
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
      const upload = storage.upload(path, blobOf(LARGE), {
        signal: abort.signal,
        onProgress(progress) {
          loaded = progress.loaded;
          if (loaded > 0) abort.abort(stopped());
        },
      });
      await assertFails(upload, STOPPED);
      assert(loaded < LARGE, 'it was complete before it was aborted');
      // By now, an upload that secretly continued would be complete.
      await new Promise((resolve) => setTimeout(resolve, WHOLE));
      await assertMissing(deployment, path);
    },
  },
  {
    name: 'aborts the upload of a stream in the middle, and reads no more of it',
    feature: 'aborts',
    async run(deployment) {
      const path = unique('endless.bin');
      const abort = new AbortController();
      let pieces = 0;
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const data = new ReadableStream<Uint8Array>({
        async pull(controller) {
          // Yields now and then, so that an endless stream leaves the platform time for everything else.
          await new Promise((resolve) => setTimeout(resolve));
          controller.enqueue(new Uint8Array(1_000));
          pieces += 1;
          if (pieces === 50) abort.abort(stopped());
        },
        cancel: () => leave(),
      });
      const { signal } = abort;
      await assertFails(storageOf(deployment).upload(path, data, { signal }), STOPPED);
      await left;
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
    name: 'sends nothing if the signal has already aborted',
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
