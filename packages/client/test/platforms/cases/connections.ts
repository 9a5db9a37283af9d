import type { FetchLike } from '@berth/client';
import { assert, assertEqual, assertFails } from '../assert.ts';
import { at, serviceOf, storageOf, unique } from '../clients.ts';
import { assertContent, blobOf } from '../content.ts';
import type { Deployment, PlatformCase } from '../platform-case.ts';
import { type Echo, LAST_TICK, SERVICES } from '../services.ts';

const SIZE = 1_000_000;
const once = { retry: false } as const;

/** https, agents, and the caller's own `fetch`. */
export const CONNECTIONS: readonly PlatformCase[] = [
  {
    name: 'calls, streams, uploads and downloads over https',
    feature: 'https',
    async run(deployment, { openWebSocket }) {
      const secure = at(deployment, deployment.secure);
      await assertAllWorks(secure, {});
      const echo = serviceOf(secure, SERVICES.echo, { webSocket: openWebSocket });
      (await echo.connect('room', { protocols: ['chat'] })).close();
    },
  },
  {
    name: 'sends nothing to a server whose certificate nobody knows',
    feature: 'https',
    async run(deployment) {
      const strange = at(deployment, deployment.strange);
      const unknown = { name: 'NetworkError' };
      await assertFails(serviceOf(strange, SERVICES.echo, once).get('a'), unknown);
      await assertFails(storageOf(strange, once).upload('a.txt', 'a'), unknown);
    },
  },
  {
    name: "trusts a certificate with the caller's own fetch",
    feature: 'certificateByFetch',
    run: (deployment, { trustingFetch }) =>
      assertAllWorks(at(deployment, deployment.strange), {
        fetch: trustingFetch(deployment.strange.ca),
      }),
    async without(deployment, { trustingFetch }) {
      const fetch = trustingFetch(deployment.strange.ca);
      const strange = at(deployment, deployment.strange);
      const call = serviceOf(strange, SERVICES.echo, { fetch, ...once }).get('a');
      await assertFails(call, { name: 'NetworkError' });
    },
  },
  {
    name: "connects uploads with the caller's own agent and the certificates that it trusts",
    feature: 'agent',
    async run(deployment, { createAgent }) {
      // Calls to the storage API are trusted in any case.
      const secure = at(deployment, deployment.secure);
      const storage = storageOf(secure, { agent: createAgent(deployment.secure.ca) });
      const { fileID } = await storage.upload(unique('agent.txt'), 'a');
      await storage.delete(fileID);
      const other = createAgent(deployment.strange.ca);
      const upload = storageOf(secure, { agent: other, ...once }).upload('a.txt', 'a');
      await assertFails(upload, { name: 'NetworkError' });
    },
    async without(deployment, { createAgent }) {
      const secure = at(deployment, deployment.secure);
      const storage = storageOf(secure, { agent: createAgent(deployment.strange.ca) });
      const { fileID } = await storage.upload(unique('agent.txt'), 'a');
      await storage.delete(fileID);
    },
  },
  {
    name: "sends everything with the caller's own fetch",
    feature: 'ownFetch',
    async run(deployment) {
      const called: string[] = [];
      const fetch = (url: string, init: RequestInit) => {
        called.push(new URL(url).pathname);
        return globalThis.fetch(url, init);
      };
      await assertAllWorks(deployment, { fetch });
      assert(called.length >= 6, `it was called for ${called.join(', ')} only`);
    },
  },
];

async function assertAllWorks(
  deployment: Deployment,
  options: { readonly fetch?: FetchLike },
): Promise<void> {
  assertEqual((await serviceOf(deployment, SERVICES.echo, options).get<Echo>('a')).target, '/a');
  const ids: string[] = [];
  for await (const { id } of serviceOf(deployment, SERVICES.ticker, options).events()) {
    if (ids.push(id) > LAST_TICK) break;
  }
  assertEqual(ids, ['1', '2', '3', '4', '5']);
  const storage = storageOf(deployment, options);
  let loaded = 0;
  const onProgress = (progress: { loaded: number }) => {
    loaded = progress.loaded;
  };
  const { fileID } = await storage.upload(unique('all.bin'), blobOf(SIZE), { onProgress });
  assertEqual(loaded, SIZE, 'progress');
  await assertContent((await storage.download(fileID)).body, SIZE);
  await storage.delete(fileID);
}
