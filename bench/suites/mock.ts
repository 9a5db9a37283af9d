import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/testing/free-port.ts';
import { compare, type Figure, type Row, type Suite } from '../compare.ts';
import { type Call, compareCpuRates, load, type Target } from '../load.ts';
import { commandOf, readMemory, SERVER_CORE, start, stop } from '../processes.ts';

const DOCUMENT = fileURLToPath(import.meta.resolve('@berth/spec/storage.v2.json'));
const ORDERS = join(import.meta.dirname, 'orders.json');
const OURS = [commandOf('@berth/mock'), '--log', 'quiet'];
const PRISM = [commandOf('@stoplight/prism-cli'), 'mock', '--verboseLevel', 'silent'];
const MEMORY_CALLS = 200_000;

const DELETE: Call = {
  url: '/api/v2/envs/dev/storages:batchDelete',
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
    'x-svc-timestamp': '1700000000',
  },
  body: JSON.stringify({ fileList: ['cloud://dev.files/reports/summary.txt'] }),
};
const HELLO: Call = {
  url: '/v1/cloudrun/hello',
  method: 'GET',
  headers: { authorization: 'Bearer any' },
};
const ORDER: Call = {
  url: '/customers/42/orders?notify=true',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ items: [{ name: 'Anchor', count: 2 }], note: 'Leave it at the pier.' }),
};

type Start = () => Promise<Target>;

/** Sends the same calls to two mocks, which both validate them. Neither prints the calls. */
export const mockSuite: Suite = {
  name: 'mock',
  description: 'The mock against prism-cli: validated storage POST, first response, memory',
  run: async (runs) => {
    const [ours, prism] = [startOn(DELETE, OURS), startOn(DELETE, [...PRISM, DOCUMENT])];
    const own = startOn(ORDER, [...OURS, ORDERS]);
    const ownPrism = startOn(ORDER, [...PRISM, ORDERS]);
    const files = 'storage POST, validated, stateful files, requests/CPU s';
    const another = 'POST of another document, validated, example, requests/CPU s';
    return [
      await compareRates(toFigure(files, '>= 3'), runs, ours, prism),
      await compareRates(toFigure(another, '>= 1.5'), runs, own, ownPrism),
      await compare(
        toFigure('start to first response, ms', '<= 1', 'limit'),
        runs,
        () => timeStart(ours),
        async () => 500,
      ),
      await compare(
        toFigure('start to first response by Prism, ms', '<= 1', 'limit'),
        runs,
        () => timeStart(startOn(HELLO, OURS)),
        async () => 1_500,
      ),
      // New processes, after the same calls.
      await compare(
        toFigure(`memory after ${MEMORY_CALLS} calls, MB`, '<= 1'),
        runs,
        () => weigh(ours),
        () => weigh(prism),
      ),
    ];
  },
};

function toFigure(measure: string, goal: Figure['goal'], peerName = 'prism-cli'): Figure {
  return { suite: 'mock', measure, peerName, goal };
}

async function compareRates(figure: Figure, runs: number, ...starts: Start[]): Promise<Row> {
  const [ours, peer] = (await Promise.all(starts.map((each) => each()))) as [Target, Target];
  const row = await compareCpuRates(figure, runs, ours, peer);
  await stop(ours.child, peer.child);
  return row;
}

async function timeStart(begin: Start): Promise<number> {
  const before = performance.now();
  const { child } = await begin();
  const time = performance.now() - before;
  await stop(child);
  return time;
}

async function weigh(begin: Start): Promise<number> {
  const { child, call } = await begin();
  await load(call, { amount: MEMORY_CALLS });
  const kilobytes = readMemory(child.pid ?? 0);
  await stop(child);
  return kilobytes / 1000;
}

/** Returns a function that starts a mock, and waits for its response to a call. */
function startOn({ url: path, ...init }: Call, command: readonly string[]): Start {
  return async () => {
    const port = await freePort();
    const child = start(process.execPath, [...command, '--port', `${port}`], SERVER_CORE);
    child.stdout.resume();
    const url = `http://127.0.0.1:${port}${path}`;
    while (child.exitCode === null) {
      const response = await fetch(url, init).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return { child, call: { url, ...init } };
      if (response) throw new Error(`${url} returned ${response.status}.`);
      // Polling without a pause would compete with the server for CPU time.
      await setTimeout(1);
    }
    throw new Error(`${command.join(' ')} exited with code ${child.exitCode}.`);
  };
}
