import { expect, onTestFinished, test } from 'vitest';
import { createRandom, pick as pickAt } from '../../server-stubs/test/corpus/random.ts';
import { FAULT_KINDS } from '../src/faults/fault-kinds.ts';
import { spawnCli, untilReady } from './helpers/cli.ts';
import { sendRaw } from './helpers/raw.ts';

const REQUESTS = 5_000;
const AT_ONCE = 16;
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`5,000 hostile requests end no process and cause no warning (BERTH_SEED=${SEED})`, async () => {
  const child = spawnCli('--port', '0', '--log', 'json');
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stderr?.on('data', (text) => {
    printed += text;
  });
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(await untilReady(child))?.[1]);
  const random = createRandom(SEED);
  const requests = Array.from({ length: REQUESTS }, () => toHostile(random));
  const attack = async () => {
    for (let bytes = requests.pop(); bytes !== undefined; bytes = requests.pop()) {
      // Half-closed, so that no request can wait for more.
      await sendRaw({ port }, bytes).catch(() => {});
      expect(child.exitCode, `${JSON.stringify(bytes.slice(0, 2_000))}\n${printed}`).toBeNull();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attack));
  const health = await fetch(`http://127.0.0.1:${port}/__mock/health`);
  expect([health.status, printed]).toEqual([200, '']);
});

/** Combines the parts at random; some requests break off. */
function toHostile(random: () => number): string {
  const pick = <Value>(list: readonly Value[]) => pickAt(list, random) as Value;
  const headers = Array.from({ length: 5 }, () => {
    const [name, values] = pick(HEADERS);
    return `${name}: ${pick(values)}\r\n`;
  });
  // Most requests need a host and credentials to get beyond the first checks.
  if (random() < 0.7) headers.unshift('Host: localhost\r\nAuthorization: Bearer any\r\n');
  const head = `${pick(METHODS)} ${pick(TARGETS)} HTTP/1.1\r\n${headers.join('')}\r\n`;
  const text = head + pick(BODIES);
  return random() < 0.1 ? text.slice(0, text.length * random()) : text;
}

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'CONNECT', 'gEt'];

const TARGETS = [
  '/v1/cloudrun/hello',
  '/v1/cloudrun/echo/a?data=1',
  '/api/v2/envs/dev/storages:batchDelete',
  '/?session=a',
  '/files/a?sign=a&sign=b',
  '/__mock/files/a',
  '/__mock/clock',
  'http://[::::]/v1/cloudrun/hello',
  '*',
  '/\xff',
];

const LONG = 'a'.repeat(5_000);

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['Host', ['127.0.0.1:99999', '[::::]', 'a..b']],
  ['Authorization', ['TC3-HMAC-SHA256 Credential=', '\xff', '']],
  ['X-Svc-TimeStamp', ['1700000000', '-1']],
  ['X-Mock-Session', ['a', '../..', '\xff', '__proto__', LONG]],
  [
    'X-Mock-Fault',
    [...Object.keys(FAULT_KINDS).map((kind) => `${kind}=1`), 'reset', 'code=SYS_ERR', '=,,=', LONG],
  ],
  ['Prefer', ['code=404', 'code=504, example=SERVICE_TIMEOUT', 'dynamic=true', 'code=9', '\xff']],
  ['Accept', ['text/event-stream', 'a/b;q', '\xff', 'a/b,'.repeat(500)]],
  ['Origin', ['http://localhost', 'null', '\xff']],
  ['Content-Type', ['application/json', 'multipart/form-data; boundary=b', '\xff']],
  ['Content-Length', ['2', '99999999999999999999', '-1']],
  ['Transfer-Encoding', ['chunked', 'gzip', 'chunked, chunked']],
  ['Expect', ['100-continue', 'tea']],
  ['Range', ['bytes=0-', 'bytes=5-1', 'bytes=99999999999999999999-']],
  ['Connection', ['Upgrade', 'close']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Sec-WebSocket-Version', ['13', '1']],
  ['Sec-WebSocket-Key', ['AAAAAAAAAAAAAAAAAAAAAA==', 'a']],
  ['Sec-WebSocket-Protocol', ['berth.bearer.any', 'chat, berth.bearer.%ff', ',,']],
];

const BODIES = [
  '{}',
  '{"fileList":[',
  '2\r\n{}\r\n0\r\n\r\n',
  'ZZ\r\n',
  '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n',
  '\x81\x85\x00\x00\x00\x00hello\x88\x80\x00\x00\x00\x00',
];
