import { expect, test } from 'vitest';
import { post, StorageClient } from '../break-ins/support/storage-client.ts';
import { startServer } from './support/start-server.ts';

const OLD = { secret: 'the old key that signs links and grants' };
const NEW = { secret: 'the new key that signs links and grants' };
const PAIR = { id: 'me', secret: 'a secret of mine' };

async function startReplicas() {
  const start = async () => {
    const replica = await startServer({ keys: [OLD] }, { credentials: [PAIR] });
    const setKeys = (keys: (typeof OLD)[]) => replica.server.reload({ ...replica.config, keys });
    const client = new StorageClient(replica.url, PAIR);
    await client.upload('a.txt', 'content');
    return { url: replica.url, client, setKeys };
  };
  return [await start(), await start()] as const;
}

type Replica = Awaited<ReturnType<typeof startReplicas>>[number];

/** Uploads to one replica with a grant of the other, and downloads from it with a link of the other. */
async function statusesOf(from: Replica, to: Replica): Promise<number[]> {
  const grant = await from.client.grant('a.txt');
  const uploaded = await post({ ...grant, url: `${to.url}/upload` }, 'a.txt', 'content');
  const { pathname, search } = new URL(await from.client.link('a.txt'));
  const downloaded = await fetch(to.url + pathname + search);
  await downloaded.text();
  return [uploaded.status, downloaded.status];
}

test('keys are rotated without a 403 from a replica that has not reloaded', async () => {
  const [a, b] = await startReplicas();
  for (const keys of [[OLD, NEW], [NEW, OLD], [NEW]]) {
    for (const replica of [a, b]) {
      await replica.setKeys(keys);
      expect(await statusesOf(a, b)).toEqual([204, 200]);
      expect(await statusesOf(b, a)).toEqual([204, 200]);
    }
  }
});
