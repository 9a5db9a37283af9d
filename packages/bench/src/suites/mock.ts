import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from '../compare.ts';
import { freePort } from '../free-port.ts';
import { type Call, load } from '../load.ts';
import { measureCpuRate } from '../measure-cpu-rate.ts';
import { residentKilobytes } from '../resident-kilobytes.ts';
import type { Row, Suite } from '../row.ts';
import { SERVER_CORE, startProcess, stopProcess } from '../start-process.ts';
import { waitFor } from '../wait-for.ts';

const require = createRequire(import.meta.url);
const PRISM = commandOf('@stoplight/prism-cli');
const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const OURS = commandOf('@berth/mock');
const SUITE = 'mock';
const PEER = { suite: SUITE, peerName: 'prism-cli 5.16' };
const SECONDS = 3;

type Server = { child: ChildProcess; call: Call };
type Start = () => Promise<Server>;

/**
 * The same call to both: a storage POST whose request is validated. Counted are requests by second of
 * processor time, as in the suite `stubs`: whoever else runs here then bounds neither side.
 */
export const mockSuite: Suite = {
  name: SUITE,
  description: 'The mock against prism-cli: validated storage POST, first answer, memory',
  run: async (runs) => [
    await compareThroughput('the example', startStatic, runs),
    await compareThroughput('acting on files', startOurs, runs),
    await compareStart(runs),
    await boundStart(runs),
    await compareMemory(runs),
  ],
};

async function compareThroughput(answer: string, start: Start, runs: number): Promise<Row> {
  const [ours, peer] = [await start(), await startPeer()];
  try {
    const measure = `storage POST, validated, ${answer}, requests/CPU s`;
    return await compare(
      { ...PEER, measure, goal: '>= 10' },
      runs,
      () => measureCpuRate(ours.child, ours.call, SECONDS),
      () => measureCpuRate(peer.child, peer.call, SECONDS),
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

/** The goal in milliseconds as a peer that always meets it. */
function boundStart(runs: number): Promise<Row> {
  const subject = {
    suite: SUITE,
    measure: 'start to first answer, ms',
    peerName: 'bound of 300 ms',
    goal: '<= 1',
  } as const;
  return compare(
    subject,
    runs,
    () => timeStart(startOurs),
    async () => 300,
  );
}

async function timeStart(start: Start): Promise<number> {
  const begin = performance.now();
  const { child } = await start();
  const time = performance.now() - begin;
  await stopProcess(child);
  return time;
}

/** Resident memory of a new process after the same load. */
function compareMemory(runs: number): Promise<Row> {
  const subject = { ...PEER, measure: 'memory after load, MB', goal: '<= 1' } as const;
  return compare(
    subject,
    runs,
    () => weigh(startOurs),
    () => weigh(startPeer),
  );
}

async function weigh(start: Start): Promise<number> {
  const { child, call } = await start();
  try {
    await load(call, SECONDS);
    return (residentKilobytes(child.pid ?? 0) ?? Number.NaN) / 1000;
  } finally {
    await stopProcess(child);
  }
}

/** Acts on the files that were uploaded, as the command line does without options. */
async function startOurs(...options: readonly string[]): Promise<Server> {
  const port = await freePort();
  return ready(startProcess([OURS, '--port', String(port), ...options], SERVER_CORE), port);
}

/** Answers the contract's example, as the peer does. */
const startStatic: Start = () => startOurs('--mode', 'static');

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
