import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { hostileRequest } from '../../server-stubs/test/fuzz/requests.ts';
import { createRandom } from '../src/faults/fault-rules.ts';
import { spawnCli, untilReady } from './helpers/cli.ts';

/** Set `MOCK_FUZZ_SEED` and `MOCK_FUZZ_REQUESTS` for other requests, and more of them. */
const { MOCK_FUZZ_SEED: seed = '18', MOCK_FUZZ_REQUESTS: requests = '250' } = process.env;
const SEED = Number(seed);
const AT_ONCE = 32;
/** A client disconnects after waiting this long for a response. */
const PATIENCE = 150;

const MODES: readonly (readonly string[])[] = [
  [],
  ['--auth', 'off', '--mode', 'dynamic', '--tls'],
  ['--max-sessions', '3'],
];

describe.each(MODES.map((args) => [args.join(' ') || 'no options', args]))('%s', (_, args) => {
  test(`${requests} hostile requests end no process (seed ${seed})`, async () => {
    const child = spawnCli('--port', '0', ...(args as string[]));
    let printed = '';
    child.stderr?.on('data', (text) => {
      printed += text;
    });
    try {
      const [, url = ''] = /(https?:\/\/127\.0\.0\.1:\d+)/.exec(await untilReady(child)) ?? [];
      const chance = createRandom(`${seed} ${args[0]}`);
      let sent = 0;
      const attack = async () => {
        while (sent < Number(requests)) {
          sent += 1;
          const bytes = toHostile(sent, () => chance.next());
          await send(url, bytes);
          expect(child.exitCode, `${JSON.stringify(bytes.slice(0, 2_000))}\n${printed}`).toBeNull();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, attack));
      expect(await statusOf(`${url}/__mock/api/health`)).toBe(200);
      expect(printed).toBe('');
    } finally {
      await end(child);
    }
  });
});

/** Sends raw bytes, until the mock closes the connection or the client times out. */
async function send(url: string, bytes: string): Promise<void> {
  const { port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const options = { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false };
  // Some of it is sent where a handshake is expected.
  const socket = isTls && bytes.length % 4 > 0 ? connectTls(options) : connect(options);
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.on('error', () => {}).resume();
  socket.write(bytes, 'latin1');
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
}

function statusOf(url: string): Promise<number | undefined> {
  const options = { agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    (url.startsWith('https:') ? getHttps : getHttp)(url, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

/** Paths of the mock's own, and of services that the stubs' requests do not call. */
const PATHS = [
  '/v1/cloudrun/echo/a',
  '/files/a?sign=a&sign=b',
  '/__mock/',
  '/__mock/api/files/a',
  '/v1/cloudrun/hello?session=%ff',
  'a:443',
];
const HOSTS = ['127.0.0.1:99999', '1.2.3.4.5', '[::::]', 'a..b', 'xn--a', 'a'.repeat(300)];

/** What the mock reads besides what the stubs read. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'X-Mock-Session': ['a', '../..', '\xff', '__proto__', 'a'.repeat(5_000)],
  'X-Mock-Fault': [
    'latency=1',
    'reset',
    'truncate=1',
    'code=SERVICE_TIMEOUT',
    '=,,=',
    '__proto__=1',
    `latency=1${' '.repeat(8_000)}x`,
  ],
  Prefer: [
    'code=404',
    'code=504, example=SERVICE_TIMEOUT',
    'dynamic=true',
    'code=9',
    'example=\xff',
  ],
  Accept: ['*/*', 'text/event-stream', 'a/b;q', '\xff', `${'a/b,'.repeat(500)}`, ';;'],
  Origin: ['http://localhost', 'null', 'https://a.example', '\xff'],
  'Sec-WebSocket-Protocol': ['berth.bearer.any', 'mock.session.%ff', ',,'],
  'Sec-WebSocket-Extensions': ['permessage-deflate', '\xff'],
  Range: ['bytes=0-', 'bytes=5-1', 'bytes=99999999999999999999-'],
  'Last-Event-ID': ['1', '\xff'],
};
const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];
const FRAMES = '\x81\x85\x00\x00\x00\x00hello\x88\x80\x00\x00\x00\x00';

/** A hostile request for the stubs, with what only the mock has. */
function toHostile(index: number, random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const isLikely = (share: number) => random() < share;
  const [, line = '', rest = ''] = /^(.*?)\r\n(.*)$/s.exec(hostileRequest(SEED, index).bytes) ?? [];
  if (isLikely(0.03)) return rest;
  const added = Object.entries(HEADERS)
    .filter(() => isLikely(0.12))
    .map(([name, values]) => `${name}: ${pick(values)}`);
  const head = [isLikely(0.3) ? `${line.split(' ')[0]} ${pick(PATHS)} HTTP/1.1` : line, ...added];
  const host = pick(isLikely(0.2) ? HOSTS : ['localhost']);
  const own = rest.replace('Host: dev.example.com', `Host: ${host}`);
  if (isLikely(0.85)) return `${head.join('\r\n')}\r\n${own}`;
  const upgrade = own.replace('Connection: close\r\n', '');
  return `${[...head, ...HANDSHAKE].join('\r\n')}\r\n${upgrade}${FRAMES}`;
}
