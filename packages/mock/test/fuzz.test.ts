import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { spawnCli, untilReady } from './helpers/cli.ts';

/** Set `MOCK_FUZZ_SEED` and `MOCK_FUZZ_REQUESTS` for other requests, and more of them. */
const { MOCK_FUZZ_SEED: seed = '18', MOCK_FUZZ_REQUESTS: requests = '200' } = process.env;
const AT_ONCE = 16;

test(`${requests} hostile requests end no process and cause no warning (seed ${seed})`, async () => {
  const child = spawnCli('--port', '0', '--quiet');
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed += text;
  });
  try {
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(await untilReady(child)) ?? [];
    const random = createRandom(Number(seed));
    let sent = 0;
    const attack = async () => {
      while (sent < Number(requests)) {
        sent += 1;
        const bytes = toHostile(random);
        await send(Number(port), bytes);
        expect(child.exitCode, `${JSON.stringify(bytes.slice(0, 2_000))}\n${printed}`).toBeNull();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
    const health = await fetch(`http://127.0.0.1:${port}/__mock/api/health`);
    expect([health.status, printed]).toEqual([200, '']);
  } finally {
    await end(child);
  }
});

/** Sends raw bytes and half-closes the connection, so that no request can wait for more. */
async function send(port: number, bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  socket.end(bytes, 'latin1');
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

type Random = () => number;

/** mulberry32. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'CONNECT', 'gEt', 'A'.repeat(100)];

const STORAGE = '/api/v2/envs/dev/storages:';

const TARGETS = [
  '/v1/cloudrun/hello',
  '/v1/cloudrun/echo/a?data=1',
  '/v1/cloudrun/hello/../x%00',
  `${STORAGE}batchDelete`,
  `${STORAGE}nothing`,
  '/',
  '/?session=a',
  '/files/a?sign=a&sign=b',
  '/__mock/api/files/a',
  '/__mock/api/clock',
  'http://[::::]/v1/cloudrun/hello',
  'a:443',
  '*',
  '/\xff',
];

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['Host', ['localhost', '127.0.0.1:99999', '[::::]', 'a..b', 'xn--a', 'a'.repeat(300)]],
  ['Authorization', ['Bearer any', 'TC3-HMAC-SHA256 Credential=', '\xff', '']],
  ['X-Svc-TimeStamp', ['1700000000', '-1', '9'.repeat(50)]],
  ['X-Mock-Session', ['a', '../..', '\xff', '__proto__', 'a'.repeat(5_000)]],
  [
    'X-Mock-Fault',
    ['latency=1', 'reset', 'truncate=1', 'code=SYS_ERR', '=,,=', '__proto__=1', 'a'.repeat(8_000)],
  ],
  ['Prefer', ['code=404', 'code=504, example=SERVICE_TIMEOUT', 'dynamic=true', 'code=9', '\xff']],
  ['Accept', ['*/*', 'text/event-stream', 'a/b;q', '\xff', 'a/b,'.repeat(500), ';;']],
  ['Origin', ['http://localhost', 'null', 'https://a.example', '\xff']],
  ['Content-Type', ['application/json', 'multipart/form-data; boundary=b', 'a', '\xff']],
  ['Content-Length', ['0', '2', '99999999999999999999', '-1']],
  ['Transfer-Encoding', ['chunked', 'gzip', 'chunked, chunked']],
  ['Expect', ['100-continue', 'tea']],
  ['Range', ['bytes=0-', 'bytes=5-1', 'bytes=99999999999999999999-']],
  ['Connection', ['Upgrade', 'close', 'keep-alive, a']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Sec-WebSocket-Version', ['13', '1']],
  ['Sec-WebSocket-Key', ['AAAAAAAAAAAAAAAAAAAAAA==', 'a']],
  ['Sec-WebSocket-Protocol', ['berth.bearer.any', 'mock.session.%ff', ',,']],
];

const BODIES = [
  '',
  '{}',
  '{"fileList":[',
  '2\r\n{}\r\n0\r\n\r\n',
  'ZZ\r\n',
  '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n',
  '\x81\x85\x00\x00\x00\x00hello\x88\x80\x00\x00\x00\x00',
  '\0'.repeat(1_000),
];

function toHostile(random: Random): string {
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value;
  const headers = HEADERS.filter(() => random() < 0.35).map(
    ([name, values]) => `${name}: ${pick(values)}\r\n`,
  );
  const text = `${pick(METHODS)} ${pick(TARGETS)} HTTP/1.1\r\n${headers.join('')}\r\n${pick(BODIES)}`;
  return random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text;
}
