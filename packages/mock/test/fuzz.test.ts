import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../src/faults/fault-rules.ts';
import { toSessionFolder } from '../src/files/disk-contents.ts';
import { createMock } from '../src/index.ts';
import { spawnCli, untilReady } from './helpers/cli.ts';

/** Set `MOCK_FUZZ_SEED` and `MOCK_FUZZ_REQUESTS` for other requests, and more of them. */
const { MOCK_FUZZ_SEED: seed = '18', MOCK_FUZZ_REQUESTS: requests = '250' } = process.env;
const AT_ONCE = 32;
/** A client disconnects after waiting this long for a response. */
const PATIENCE = 150;

/** Sessions whose folders cannot be read, see `prepareFolder`. */
const [BLOCKED, BROKEN] = ['blocked', 'broken'];
/** What the mock prints about them, and what Node adds. */
const EXPECTED = /^$|^\(Use `node|\bFolderError: |\.json is invalid, /;

const deployment = await createMock();
const folder = await mkdtemp(join(tmpdir(), 'berth-mock-fuzz-'));
await prepareFolder();
afterAll(async () => {
  await deployment.close();
  await rm(folder, { recursive: true });
});

const MODES: readonly (readonly string[])[] = [
  [],
  ['--auth', 'off', '--mode', 'dynamic', '--tls'],
  ['--dir', join(folder, 'files'), '--max-sessions', '3'],
  ['--proxy', deployment.url, '--record', join(folder, 'recordings')],
  ['--replay', join(folder, 'recordings')],
];

describe.each(MODES.map((args) => [args.join(' ').replaceAll(folder, '') || 'no options', args]))(
  '%s',
  (_, args) => {
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
            const bytes = hostileRequest(() => chance.next());
            await send(url, bytes);
            expect(
              child.exitCode,
              `${JSON.stringify(bytes.slice(0, 2_000))}\n${printed}`,
            ).toBeNull();
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, attack));
        expect(await statusOf(`${url}/__mock/api/info`)).toBe(200);
        // Nothing has failed except what had to.
        const lines = printed.split('\n').filter((line) => !EXPECTED.test(line));
        expect(lines).toEqual([]);
      } finally {
        await end(child);
      }
    });
  },
);

async function prepareFolder(): Promise<void> {
  const files = join(folder, 'files');
  await mkdir(toSessionFolder(files, BROKEN), { recursive: true });
  await writeFile(join(toSessionFolder(files, BROKEN), 'a.json'), '{ "key":');
  await writeFile(toSessionFolder(files, BLOCKED), 'no folder');
  await using mock = await createMock({
    proxy: deployment.url,
    record: join(folder, 'recordings'),
  });
  await fetch(`${mock.url}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer any' } });
}

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

const METHODS = ['GET', 'GET', 'POST', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'CONNECT', 'M-SEARCH'];
const ROOTS = [
  '/v1/cloudrun/hello',
  '/v1/cloudrun/echo/a',
  '/v1/cloudrun/',
  '/api/v2/envs/dev/storages:getUploadMetaData',
  '/api/v2/envs/dev/storages:batchDelete',
  '/api/v2/envs/dev/storages:batchCopyFile',
  '/',
  '/files/a',
  '/__mock/',
  '/__mock/api/files/a',
  '/__mock/api/requests/stream',
  '*',
  'a:443',
];
const PIECES = [
  '/../',
  '%00',
  '%',
  '%E2%80%A6',
  '\\',
  '\xff',
  '"',
  '{',
  '?session=%ff',
  `?session=${BROKEN}`,
  '?sign=a&sign=b',
  '#',
  '/'.repeat(300),
  'a'.repeat(3_000),
  '__proto__',
  'constructor',
];
const HOSTS = [
  'localhost',
  '127.0.0.1:99999',
  '1.2.3.4.5',
  '[::::]',
  'a..b',
  'xn--a',
  '\xff',
  'dev.example.com:1:2',
  'a'.repeat(300),
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Authorization: [
    'Bearer any',
    'Bearer any',
    'Bearer',
    'Bearer \xff',
    'TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=, Signature=c',
    'TC3-HMAC-SHA256 Credential=/, SignedHeaders=__proto__;host, Signature=',
  ],
  'X-Svc-Authorization': ['1.0 any', '1.0 any', '1.0 TC3-HMAC-SHA256 a', '\x80'],
  'X-Svc-TimeStamp': ['1700000000', '1700000000', '-1', '1e999'],
  'X-Svc-SessionToken': ['', 'a'],
  'X-Mock-Session': ['a', BLOCKED, BROKEN, '../..', '\xff', '__proto__', 'a'.repeat(5_000)],
  'X-Mock-Fault': [
    'latency=1',
    'latency=1..0',
    'reset',
    'truncate=1',
    'code=SERVICE_TIMEOUT',
    'expiredToken',
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
  'Content-Type': [
    'application/json',
    'application/json; charset=\xff',
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary=',
    'text/plain',
    '/',
  ],
  Origin: ['http://localhost', 'null', 'https://a.example', '\xff'],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['Upgrade', 'close', 'X-Mock-Session, Content-Length', 'keep-alive'],
  'Sec-WebSocket-Version': ['13', '8'],
  'Sec-WebSocket-Key': ['AAAAAAAAAAAAAAAAAAAAAA==', 'a'],
  'Sec-WebSocket-Protocol': [
    'berth.bearer.any',
    'mock.session.%ff',
    `mock.session.${BLOCKED}`,
    ',,',
  ],
  'Sec-WebSocket-Extensions': ['permessage-deflate', '\xff'],
  Expect: ['100-continue', 'tea'],
  Range: ['bytes=0-', 'bytes=5-1', 'bytes=99999999999999999999-'],
  'Last-Event-ID': ['1', '\xff'],
  Via: ['1.1 berth-mock-a'],
  Cookie: ['a=b'],
  'Transfer-Encoding': ['chunked', 'chunked, chunked', 'gzip'],
  'Content-Length': ['0', '3', '100', '-1', '99999999999999999999'],
  '\xff': ['a'],
  __proto__: ['a'],
};
const BODIES = [
  '',
  '{}',
  '{"path":"a"}',
  '{"data":{"path":"a"}}',
  '{"path":"\\ud800/../\\u0000"}',
  '{"fileList":[{"fileID":"cloud://dev.files/a","maxAge":1e99}]}',
  '{"fileList":["cloud://dev.files/a"]}',
  '{"fileList":[{"srcPath":"a","dstPath":"b","removeOriginal":true}]}',
  `{"fileList":${'['.repeat(5_000)}`,
  '{"__proto__":{"a":1}}',
  '\xff\xfe\x00',
  '3\r\n{}\n\r\n0\r\n\r\n',
  'ZZ\r\n',
  '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\na\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n',
  '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n',
  '\x81\x85\x00\x00\x00\x00hello\x88\x80\x00\x00\x00\x00',
  '\xff'.repeat(20_000),
];

/** One request, or something similar, with each part valid or invalid at random. */
function hostileRequest(random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const isLikely = (share: number) => random() < share;
  if (isLikely(0.03)) return pick(BODIES);
  let path = pick(ROOTS);
  while (isLikely(0.3)) path += pick(PIECES);
  if (isLikely(0.1)) path = `http://${pick(HOSTS)}${path}`;
  const lines = [`${pick(METHODS)} ${path} HTTP/1.${isLikely(0.95) ? 1 : 0}`];
  if (isLikely(0.97)) lines.push(`Host: ${isLikely(0.5) ? 'localhost' : pick(HOSTS)}`);
  const isUpgrade = isLikely(0.15);
  for (const [name, values] of Object.entries(HEADERS)) {
    const isCredential = /auth|svc/i.test(name);
    const isHandshake =
      isUpgrade && /^(?:upgrade|connection|sec-websocket-(?:key|version))$/i.test(name);
    if (isHandshake) lines.push(`${name}: ${values[0]}`);
    else if (isLikely(isCredential ? 0.7 : 0.12)) lines.push(`${name}: ${pick(values)}`);
  }
  const body = pick(BODIES);
  if (isLikely(0.5)) lines.push(`Content-Length: ${body.length}`);
  const request = `${lines.join('\r\n')}\r\n\r\n${body}`;
  return isLikely(0.1) ? request.slice(0, Math.floor(random() * request.length)) : request;
}
