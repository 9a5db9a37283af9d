import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from '../compare.ts';
import { freePort } from '../free-port.ts';
import { type Call, load } from '../load.ts';
import type { Row, Suite } from '../row.ts';
import { SERVER_CORE, startProcess, stopProcess } from '../start-process.ts';
import { waitFor } from '../wait-for.ts';

const require = createRequire(import.meta.url);
const PRISM = commandOf('@stoplight/prism-cli');
const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const OURS = commandOf('@berth/mock');
const PEER = { suite: 'mock', peerName: 'prism-cli 5.16' };

type Server = { child: ChildProcess; call: Call };

/** The same call to both: a storage POST whose request is validated and whose answer is the example. */
export const mockSuite: Suite = {
  name: 'mock',
  description: 'The mock server against prism-cli: validated storage POST, time to first answer',
  run: async (runs) => [await compareThroughput(runs), await compareStart(runs)],
};

async function compareThroughput(runs: number): Promise<Row> {
  const ours = await startOurs();
  const peer = await startPeer();
  try {
    const subject = {
      ...PEER,
      measure: 'storage POST, validated, requests/s',
      goal: '>= 1',
    } as const;
    return await compare(
      subject,
      runs,
      () => load(ours.call),
      () => load(peer.call),
    );
  } finally {
    await Promise.all([stopProcess(ours.child), stopProcess(peer.child)]);
  }
}

function compareStart(runs: number): Promise<Row> {
  const subject = { ...PEER, measure: 'start to first answer, ms', goal: '<= 1' } as const;
  return compare(
    subject,
    runs,
    () => timeStart(startOurs),
    () => timeStart(startPeer),
  );
}

async function timeStart(start: () => Promise<Server>): Promise<number> {
  const begin = performance.now();
  const { child } = await start();
  const time = performance.now() - begin;
  await stopProcess(child);
  return time;
}

async function startOurs(): Promise<Server> {
  const port = await freePort();
  return ready(startProcess([OURS, '--port', String(port)], SERVER_CORE), port);
}

async function startPeer(): Promise<Server> {
  const port = await freePort();
  const args = [PRISM, 'mock', DOCUMENT, '--port', String(port), '--verboseLevel', 'silent'];
  return ready(startProcess(args, SERVER_CORE), port);
}

async function ready(child: ChildProcess, port: number): Promise<Server> {
  child.stdout?.resume();
  const call: Call = {
    url: `http://127.0.0.1:${port}/api/v2/envs/dev/storages:batchDelete`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
      'x-svc-timestamp': '1700000000',
      prefer: 'example=success',
    },
    body: JSON.stringify({ fileList: ['cloud://dev.files/reports/summary.txt'] }),
  };
  const { url, ...init } = call;
  await waitFor(url, init);
  return { child, call };
}

/** The file behind the one command of a package. */
function commandOf(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const [file] = Object.values<string>(require(manifest).bin);
  return join(dirname(manifest), file as string);
}
