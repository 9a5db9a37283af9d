import { expect, onTestFinished, test } from 'vitest';
import { spawnCli, untilReady } from './helpers/cli.ts';
import { sendRaw } from './helpers/raw.ts';

const REQUESTS = 252;
const AT_ONCE = 16;

test('hostile requests end no process and cause no warning', async () => {
  const child = spawnCli('--port', '0', '--quiet');
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed += text;
  });
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(await untilReady(child))?.[1]);
  let sent = 0;
  const attack = async () => {
    while (sent < REQUESTS) {
      const bytes = toHostile(sent);
      sent += 1;
      // Half-closed, so that no request can wait for more.
      await sendRaw({ port }, bytes, 'end').catch(() => {});
      expect(child.exitCode, `${JSON.stringify(bytes.slice(0, 2_000))}\n${printed}`).toBeNull();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attack));
  const health = await fetch(`http://127.0.0.1:${port}/__mock/api/health`);
  expect([health.status, printed]).toEqual([200, '']);
});

/** Combines the parts, each in turn; some requests break off. */
function toHostile(at: number): string {
  const pick = <Value>(list: readonly Value[], skip = 0) =>
    list[(at + skip) % list.length] as Value;
  const headers = [0, 5, 11, 14].map((skip) => {
    const [name, values] = pick(HEADERS, skip);
    return `${name}: ${pick(values, Math.floor(at / HEADERS.length))}\r\n`;
  });
  const target = pick(TARGETS, Math.floor(at / TARGETS.length));
  const text = `${pick(METHODS)} ${target} HTTP/1.1\r\n${headers.join('')}\r\n${pick(BODIES)}`;
  return at % 10 === 0 ? text.slice(0, text.length / 2) : text;
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
