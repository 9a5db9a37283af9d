import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { listen } from '../../../../scripts/testing/listen.ts';
import type { SentRequest } from '../results/result.ts';
import { toPrintable } from './overview.ts';
import { toCurl as toCurlWith, toRepeat } from './to-curl.ts';

const toCurl = (finding: Parameters<typeof toCurlWith>[0]) => toCurlWith(finding, false);

const get: SentRequest = { method: 'GET', url: 'http://a.example/', headers: {}, body: '' };

test('secrets of the operator become variables; a call with another secret, a cut body, or calls before it on its connection has no command', () => {
  const withHeader = (name: string, value: string) =>
    toCurl({ request: { ...get, headers: { [name]: value } } });
  expect(withHeader('Authorization', 'Bearer [redacted: BERTH_GATEWAY_TOKEN]')).toContain(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: for a shell
    '-H "Authorization: Bearer ${BERTH_GATEWAY_TOKEN}"',
  );
  expect(toCurl({ request: { ...get, url: 'http://a/$b/[redacted: NAME]/`' } })).toContain(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: for a shell
    '"http://a/\\$b/${NAME}/\\`"',
  );
  expect(withHeader('A', 'Hi! [redacted: NAME]')).toContain(`"A: Hi"'!'" \${NAME}"`);
  expect(withHeader('Authorization', '[redacted]')).toBeUndefined();
  expect(toCurl({ request: { ...get, body: 'token=[redacted]' } })).toBeUndefined();
  expect(toCurl({ request: { ...get, body: '[redacted: NAME]\n' } })).toBeUndefined();
  expect(toCurl({ request: { ...get, body: 'a\u0007' } })).toBeUndefined();
  expect(withHeader('A', 'a\tb')).toBeUndefined();
  expect(toCurl({ request: { ...get, body: 'a', bodySize: 20_000 } })).toBeUndefined();
  expect(toCurl({ request: get, onOneConnection: true })).toBeUndefined();
});

test.each([
  ['GW-C1', false, /^curl /],
  ['ST-RESPONSE', true, /^npx @berth\/conformance --only ST-RESPONSE --seed 7 --env 'a b' /],
  ['ST-SEQUENCE', true, /^npx @berth\/conformance --only ST-SEQUENCE --seed 7 /],
  ['copy-file', true, /^npx @berth\/conformance --only copy-file --seed 7 /],
])('only the suite repeats what is about files: %s, %s', (id, storesFiles, expected) => {
  const engine = id === 'copy-file' ? 'respect' : 'rules';
  const finding = { message: '', where: '', request: get, storesFiles };
  expect(
    toRepeat({ engine, id }, finding, { seed: 7, ca: undefined, flags: ['--env', 'a b'] }),
  ).toMatch(expected);
});

const post: SentRequest = { ...get, method: 'POST', url: '/' };
const REQUESTS: SentRequest[] = [
  { ...get, url: '/a//b/../%2F/[x]{y}?q=$HOME&r=`id`&s=a+b' },
  { ...post, headers: { 'X-Quote': `it's "so" $HOME`, 'X-Empty': '' }, body: `@it's {"a":"$b"}` },
  { ...post, headers: { 'Content-Length': '0' } },
  { ...get, url: '/', headers: { 'X-Repeated': ['one', 'two, three', ''], A: `it's "%s\\!` } },
  { ...post, headers: { 'Transfer-Encoding': 'chunked' }, body: '{ "\\u0041" }' },
];

describeOn('curl', 'a command', () => {
  test.each(REQUESTS)('repeats $method $url', async (request) => {
    const seen: [IncomingMessage, Buffer][] = [];
    const server = createServer(async (incoming, response) => {
      seen.push([incoming, await buffer(incoming)]);
      response.end();
    });
    await using target = await listen(server);
    const command = toCurl({ request: { ...request, url: target.url + request.url } }) ?? '';
    const shown = command.split('\n').map(toPrintable).join('\n');
    // Neither a proxy nor the user's settings change where a call goes, and what it sends.
    await using home = await mkdtempDisposable(join(tmpdir(), 'berth-curl-'));
    await writeFile(join(home.path, '.curlrc'), 'header = "X-Curlrc: 1"\n');
    const env = { ...process.env, CURL_HOME: home.path, http_proxy: 'http://127.0.0.1:1' };
    await promisify(execFile)('sh', ['-c', shown], { env });
    const headers = Object.entries(request.headers).map(([name, value]) => [
      name.toLowerCase(),
      [value].flat(),
    ]);
    // A server without TLS would not notice.
    expect(command).toContain(' --http1.1 ');
    expect(seen).toHaveLength(1);
    for (const [incoming, body] of seen) {
      expect(incoming).toMatchObject({ method: request.method, url: request.url });
      const { host, 'content-length': length, ...sent } = incoming.headersDistinct;
      const expected = { 'content-length': length, ...Object.fromEntries(headers) };
      expect({ ...sent, 'content-length': length }).toEqual(expected);
      expect(body).toEqual(Buffer.from(request.body));
    }
  });
});
