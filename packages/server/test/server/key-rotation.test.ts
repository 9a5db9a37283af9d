import { signStorageRequest } from '@berth/server-stubs/engine/node';
import { expect, test } from 'vitest';
import { makeFolder, startServer } from './support/start-server.ts';

const OLD = { secret: 'the old key that signs links and grants' };
const NEW = { secret: 'the new key that signs links and grants' };
const PAIR = { id: 'me', secret: 'a secret of mine' };

async function startReplicas() {
  const store = { driver: 'file' as const, root: await makeFolder() };
  const start = () => startServer({ store, keys: [OLD] }, { credentials: [PAIR] });
  const replicas = [await start(), await start()] as const;
  return replicas.map(({ server, url, config }) => ({
    url,
    setKeys: (keys: (typeof OLD)[]) => server.reload({ ...config, keys }),
  }));
}

type Replica = Awaited<ReturnType<typeof startReplicas>>[number];

async function request({ url }: Replica, operation: string, body: object) {
  const signed = signStorageRequest(PAIR, { timestamp: Math.floor(Date.now() / 1000) });
  const response = await fetch(`${url}/api/v2/envs/dev/storages:${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { body: { data: never } }).body.data;
}

/** Uploads to one replica with a grant of the other, and downloads from it with a link of the other. */
async function statusesOf(from: Replica, to: Replica): Promise<number[]> {
  const grant: Record<'authorization' | 'token' | 'storeFileID' | 'fileID', string> = await request(
    from,
    'getUploadMetaData',
    { path: 'a.txt' },
  );
  const form = new FormData();
  form.set('key', 'a.txt');
  form.set('Signature', grant.authorization);
  form.set('x-store-security-token', grant.token);
  form.set('x-store-meta-fileid', grant.storeFileID);
  form.set('file', new Blob(['content']));
  const uploaded = await fetch(`${to.url}/upload`, { method: 'POST', body: form });
  await uploaded.text();
  const links: { fileList: { tempFileURL: string }[] } = await request(from, 'batchGetTempUrls', {
    fileList: [{ fileID: grant.fileID }],
  });
  const { pathname, search } = new URL(links.fileList[0]?.tempFileURL ?? '');
  const downloaded = await fetch(to.url + pathname + search);
  await downloaded.text();
  return [uploaded.status, downloaded.status];
}

test('keys are rotated without a 403 from a replica that has not reloaded', async () => {
  const [a, b] = (await startReplicas()) as [Replica, Replica];
  for (const keys of [[OLD, NEW], [NEW, OLD], [NEW]]) {
    for (const replica of [a, b]) {
      await replica.setKeys(keys);
      expect(await statusesOf(a, b)).toEqual([204, 200]);
      expect(await statusesOf(b, a)).toEqual([204, 200]);
    }
  }
});

test('a key that signs before all replicas accept it leads to a 403', async () => {
  const [a, b] = (await startReplicas()) as [Replica, Replica];
  await a.setKeys([NEW, OLD]);
  expect(await statusesOf(b, a)).toEqual([204, 200]);
  expect(await statusesOf(a, b)).toEqual([403, 403]);
});
