import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@berth/runtimes/free-port';
import {
  compare,
  compareToLimit,
  type Figure,
  type Goal,
  median,
  type Row,
  type Suite,
  toLimit,
  toLimitRow,
} from '../compare.ts';
import { type Call, compareCpuRates, type Target } from '../load.ts';
import {
  holdIdle,
  LOAD_CORE,
  makeTemporaryFolder,
  SERVER_CORE,
  start,
  startNode,
  startServer,
  stopProcess,
  waitFor,
} from '../processes.ts';

/** Where the Debian package installs it. */
const NGINX_BINARY = '/usr/sbin/nginx';

const hasNginx = existsSync(NGINX_BINARY);

/**
 * Starts nginx as a single process on one core, as a proxy with keep-alive connections that strips
 * `prefix`.
 */
function startNginx(port: string, origin: string, prefix: string): ChildProcess {
  const folder = makeTemporaryFolder('nginx');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, toConfig(folder, port, new URL(origin).host, prefix));
  return start([NGINX_BINARY, '-p', folder, '-c', file, '-e', 'stderr'], SERVER_CORE);
}

function toConfig(folder: string, port: string, host: string, prefix: string): string {
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  upstream service { server ${host}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location ${prefix}/ {
      proxy_pass http://service/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}

const SERVERS = join(import.meta.dirname, '../servers');

const SUITE = 'gateway';

const PREFIX = '/v1/cloudrun/hello';

const PEERS = [
  { server: 'undici', figure: rateBeside('undici.stream', '>= 0.8') },
  { server: 'httpxy', figure: rateBeside('httpxy', '>= 1.3') },
  { server: 'middleware', figure: rateBeside('http-proxy-middleware', '>= 1.8') },
];

/** nginx and direct calls are shown for comparison, without a goal. */
const NGINX = rateBeside('nginx', '>= 0');

const LATENCY: Figure = {
  suite: SUITE,
  measure: 'sequential calls, p99 ms',
  peerName: 'direct call to the service',
  goal: '>= 0',
};

const EVENTS = toLimit(SUITE, 'added to the first event, median ms', '5 ms');

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const IDLE = [
  { figure: idle('6,000 idle event streams'), path: 'events', headers: {}, count: 6000 },
  { figure: idle('2,000 idle WebSockets'), path: 'ws', headers: UPGRADE, count: 2000 },
];

/**
 * Requests a small JSON response from a hosted service through proxies. Ours verifies tokens and applies
 * every rule of the contract; the others use their defaults. As in the `stubs` suite, counts requests per
 * second of CPU time.
 */
export const gatewaySuite: Suite = {
  name: SUITE,
  description: "The reference server's gateway against bare proxies and nginx",
  figures: [
    ...PEERS.map(({ figure }) => figure),
    NGINX,
    LATENCY,
    EVENTS,
    ...IDLE.map(({ figure }) => figure),
  ],
  run: async (runs) => {
    const { child: service, url: origin } = await startServer('gateway-origin', [], LOAD_CORE);
    const ours = await startOurs(origin);
    try {
      const rows: Row[] = [];
      for (const { server, figure } of PEERS) {
        const peer = await startServer('gateway-peer', [server, origin], SERVER_CORE);
        rows.push(await compareRates(ours, peer.child, new URL(peer.url).port, figure, runs));
      }
      if (hasNginx) {
        const port = String(await freePort());
        rows.push(await compareRates(ours, startNginx(port, origin, PREFIX), port, NGINX, runs));
      } else process.stderr.write('gateway: nginx is not installed, skipping its row.\n');
      rows.push(await compareLatency(ours, origin, runs));
      rows.push(await compareEvents(ours, origin, runs));
      rows.push(...(await measureIdle(origin)));
      return rows;
    } finally {
      await Promise.all([stopProcess(ours.child), stopProcess(service)]);
    }
  },
};

function rateBeside(peerName: string, goal: Goal): Figure {
  return { suite: SUITE, measure: 'small JSON response, requests/CPU s', peerName, goal };
}

function idle(connections: string): Figure {
  return toLimit(SUITE, `${connections}, kB each`, '40 kB');
}

async function startOurs(origin: string): Promise<Target> {
  const port = String(await freePort());
  const args = [join(SERVERS, 'ours.ts'), port, makeTemporaryFolder('gateway'), origin];
  const child = startNode(args, SERVER_CORE);
  const [token] = await once(child.stdout, 'data');
  return toTarget(child, port, { authorization: `Bearer ${token}` });
}

async function toTarget(child: ChildProcess, port: string, headers = {}): Promise<Target> {
  const call: Call = { url: `http://127.0.0.1:${port}${PREFIX}/`, method: 'GET', headers };
  await waitFor(call.url, call);
  return { child, call };
}

async function compareRates(
  ours: Target,
  child: ChildProcess,
  port: string,
  figure: Figure,
  runs: number,
): Promise<Row> {
  try {
    return await compareCpuRates(figure, runs, ours, await toTarget(child, port));
  } finally {
    await stopProcess(child);
  }
}

/** Returns the slowest of a hundred sequential calls, through the gateway and directly. */
function compareLatency({ call }: Target, origin: string, runs: number): Promise<Row> {
  return compare(
    LATENCY,
    runs,
    () => p99(call.url, call.headers),
    () => p99(origin, {}),
  );
}

async function p99(url: string, headers: Record<string, string>): Promise<number> {
  const times = await collect(2000, async () => {
    const start = performance.now();
    await (await fetch(url, { headers })).arrayBuffer();
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] as number;
}

async function collect(count: number, measure: () => Promise<number>): Promise<number[]> {
  const figures: number[] = [];
  while (figures.length < count) figures.push(await measure());
  return figures;
}

/** Compares the delay that the gateway adds to the first event of a stream with the limit of 5 ms. */
function compareEvents({ call }: Target, origin: string, runs: number): Promise<Row> {
  const added = async () =>
    (await firstEvent(`${call.url}events`, call.headers)) -
    (await firstEvent(`${origin}/events`, {}));
  return compareToLimit(EVENTS, runs, added);
}

/** Returns the milliseconds since the send time that the first event contains. */
async function firstEvent(url: string, headers: Record<string, string>): Promise<number> {
  const times = await collect(50, async () => {
    const { body } = await fetch(url, { headers });
    for await (const chunk of body ?? []) {
      const now = performance.timeOrigin + performance.now();
      return now - Number(Buffer.from(chunk).toString().slice('data: '.length));
    }
    throw new Error(`${url} sends no event.`);
  });
  return median(times);
}

/**
 * Compares the memory per idle connection of a new process with the limit of 40 kB. Measured once, since
 * memory does not shrink.
 */
async function measureIdle(origin: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { figure, path, headers, count } of IDLE) {
    const { child, call } = await startOurs(origin);
    const url = new URL(path, call.url);
    const all = { ...call.headers, ...headers };
    const each = await holdIdle({ pid: child.pid ?? 0, url, headers: all, count });
    await stopProcess(child);
    if (each !== undefined) rows.push(toLimitRow(figure, each));
  }
  return rows;
}
