import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { createStorageClient, tc3Storage } from '@berth/client';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { Cli } from '../server/support/cli.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { CREDENTIALS, newBucket, useCeph } from './support/use-ceph.ts';

const PROCESSES = 3;
const KEY_PAIR = { secretId: 'deployment', secretKey: 'secret of the key pair' };
/** Starts processes with one configuration file, whose `publicUrl` is a load balancer. */
async function startDeployment() {
  const { endpoint } = await useCeph();
  const { bucket } = await newBucket(endpoint);
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const balancer = await startRoundRobin();
  const config = {
    listen: { port: 0 },
    admin: { port: 0 },
    publicUrl: balancer.url,
    store: { driver: 's3', endpoint, bucket, accessKeyId, secretAccessKey },
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: {
      dev: { credentials: [{ id: KEY_PAIR.secretId, secret: KEY_PAIR.secretKey }] },
    },
  };
  const folder = await makeFolder({ 'berth.yaml': JSON.stringify(config) });
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      new Cli(folder, ['--config', 'berth.yaml']).listening(),
    ),
  );
  balancer.targets.push(...processes.map(({ url }) => new URL(url).port));
  return { url: balancer.url, processes };
}

/** Starts a balancer that distributes calls, not connections: two calls of one client go to two targets. */
async function startRoundRobin() {
  const targets: string[] = [];
  let calls = 0;
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '', rawHeaders: headers } = incoming;
    const port = targets[calls++ % targets.length];
    const call = request({ port, method, path, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      pipeline(response, outgoing, () => {});
    });
    // A target that rejects a body early responds and closes: the response must still reach the client.
    call.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(call);
    outgoing.on('close', () => outgoing.writableFinished || call.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

describeOn('ceph', 'three processes', () => {
  test('accept grants and links of each other, and see each other’s files', async () => {
    const { url, processes } = await startDeployment();
    /** A client that starts at one process and uses grants and links at another. */
    const between = (first: string, second: string) =>
      createStorageClient({
        baseUrl: first,
        envId: 'dev',
        credentials: tc3Storage(KEY_PAIR),
        fetch: (given, init) => fetch(String(given).replace(url, second), init),
      });
    const urls = processes.map((each) => each.url);
    const all = urls.flatMap((first) => urls.map((second) => between(first, second)));
    const files = await Promise.all(
      all.map((client, index) => client.upload(`crossing/${index}.txt`, `from ${index}`)),
    );
    for (const [index, { fileID }] of files.entries()) {
      const contents = all.map(async (client) => (await client.download(fileID)).text());
      expect(new Set(await Promise.all(contents))).toEqual(new Set([`from ${index}`]));
    }
    await Promise.all(files.map(({ fileID }, index) => all.at(-1 - index)?.delete(fileID)));
    for (const client of all) {
      await expect(client.tempUrl(files[0]?.fileID as string)).rejects.toMatchObject({
        code: 'STORAGE_FILE_NONEXIST',
      });
    }
  });
});
