import { setTimeout as wait } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { formatEvidence, listProblems } from '../src/report/overview.ts';
import { any, entries, LINKS, metadata } from './mutants/hooks/storage.ts';
import type { Hooks, TakeOver } from './proxy/messages.ts';
import { drip, drop, hang, OK, send, sendEndlessly } from './proxy/take-over.ts';
import { runOn, runWithoutLeaks } from './run-suite.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startFronted, startSecond } from './targets/start-second.ts';

const TOO_MANY = 'HTTP/1.1 429 Slow down\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';

test.each<[string, TakeOver, RegExp]>([
  ['accepts connections and never responds', hang, /no response within 1000 ms/],
  ['drops every connection', drop, /socket hang up|ECONNRESET/],
  ['has headers without end', sendEndlessly(OK, 'A: a\r\n'.repeat(1000)), /Header/i],
  ['has bodies without end', sendEndlessly(`${OK}\r\n`, 'a'.repeat(65_536)), /exceeds|within/],
  ['begins a body and never ends it', sendEndlessly(`${OK}\r\na`, ''), /no response within/],
  ['drips its bodies', drip, /no response within/],
  ['speaks no HTTP', send('SSH-2.0-OpenSSH_9.9\r\n'), /Parse Error/],
  ['always responds with 429', send(TOO_MANY), /every attempt got a 429/],
])('there is no run against a server that %s', async (_, takeOver, sentence) => {
  await using target = await startFronted({ request: () => takeOver });
  const ran = await runWithoutLeaks({ ...target.options, timeout: 1 });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(/^the (gateway|storage API) at http.* cannot be reached: .*\.$/s);
  expect(ran.sentence).toMatch(sentence);
  expect(target.gateway.count() + target.storage.count()).toBeLessThan(30);
});

test('credentials that both targets reject prevent the run', async () => {
  await using target = await startSecond();
  const ran = await runWithoutLeaks({
    ...target.options,
    gatewayToken: 'wrong-token',
    tc3SecretId: 'wrong-id',
    tc3SecretKey: 'wrong-key',
    storageHeaders: { 'X-Svc-Authorization': 'wrong-authorization', 'X-Svc-TimeStamp': '1' },
  });
  expect(ran.exitCode).toBe(2);
  const nothing =
    /^Nothing can be checked: the gateway rejects every call .*; the storage API rejects every call /;
  expect(ran.sentence).toMatch(nothing);
  expect(ran.sentence).not.toContain('wrong');
});

test.each([
  ['HTML', '200 OK', 'text/html', '<!doctype html><title>Hi</title>', ['dredd']],
  ['a 500', '500 Oh', 'text/plain', 'Oh.', []],
  ['a JSON list', '200 OK', 'application/json', '[null]', []],
  ['an empty 999', '999 Odd', 'application/json', '', []],
])('%s everywhere: MUSTs fail, nothing passes, and no check breaks', async (...row) => {
  const [, status, type, body, engines] = row;
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
  await using target = await startFronted({ request: () => send(`${head}\r\n\r\n${body}`) });
  const ids = ['GW-ERR', 'GW-C', 'GW-WS-MESSAGES', 'ST-META', 'ST-DELETE-CALL', 'ST-COPY-CALL'];
  const ran = await runWithoutLeaks({ ...target.options, timeout: 2, only: [...ids, ...engines] });
  expect(ran.error.filter((reason) => reason.includes('bug in the suite'))).toEqual([]);
  expect(ran.pass).toEqual([]);
  expect(ran.exitCode).toBe(1);
  expect(ran.fail).toContainEqual(expect.stringMatching(/^GW-ERROR-NOT-FOUND: /));
});

const links = (tempFileURL: unknown) => entries(LINKS, any, { code: 'SUCCESS', tempFileURL });
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

test.each<[string, Hooks, engine?: string]>([
  ['a token that is no Unicode', metadata((grant) => (grant.token = '\ud800 abc'))],
  ['a URL that is no Unicode', metadata((grant) => (grant.url += '\ud800'))],
  ['a URL that is none of the web', metadata((grant) => (grant.url = 'mailto:a')), 'respect'],
  ['links of another scheme', links('store://bucket/a')],
  ['links that are objects', links({ toString: 1, valueOf: 1 })],
  [
    'JSON that is nested too deeply',
    {
      response(response, { operation }) {
        if (operation) response.body = Buffer.from(`{"statusCode":200,"body":{"data":${DEEP}}}`);
      },
    },
  ],
])('a storage API that returns %s fails, and breaks no check', async (_, hooks, engine) => {
  await using target = await startFronted(hooks);
  const only = ['ST-META', 'ST-LINKS-CALL', 'ST-RESPONSE', engine ?? 'UP-FORM'];
  const ran = await runWithoutLeaks({ ...target.options, only });
  expect(ran).toMatchObject({ exitCode: 1, error: [] });
});

test('a WebSocket whose messages never end does not hold up a check', async () => {
  const again = { from: 'service', opcode: 1, fin: true, data: Buffer.from('again') } as const;
  await using target = await startFronted({
    async *messages(all, { isHandshake }, from) {
      if (isHandshake && from === 'service') yield* Array(5000).fill(again);
      yield* all;
    },
  });
  const only = ['GW-WS-MESSAGES/2'];
  const ran = await runWithoutLeaks({ ...target.options, only });
  expect(ran.fail).toEqual([expect.stringMatching(/: 6 messages must arrive, but 7 did$/)]);
  // Besides, one for each message that was sent.
  const { results } = await runOn(target, { only });
  expect(results.flatMap(({ findings }) => findings)).toHaveLength(7);
});

test('events that are late on a slow machine do not fail the gateway', async () => {
  await using target = await startFronted({
    request: ({ path }) => (/\/(release|count)$/.test(path) ? wait(700) : undefined),
    async *messages(all) {
      for await (const message of all) {
        await wait(2000);
        yield message;
      }
    },
  });
  const only = ['GW-SSE-UNBUFFERED'];
  const ran = await runWithoutLeaks({ ...target.options, timeout: 2, only });
  expect(ran.fail).toEqual([]);
});

test.each([
  ['cut', `${OK}Content-Length: 9\r\n\r\nabc`, 'ended after 3 of 9 bytes'],
  ['cut without length', `${OK}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`, 'ended after 3 bytes'],
])('downloads that are %s fail for one cause, and show no links', async (...row) => {
  const [, response, cause] = row;
  await using target = await startMutated();
  target.use({
    create: () => ({ request: ({ isDownload }) => (isDownload ? send(response) : undefined) }),
  });
  const report = await runOn(target, { only: ['ST-', 'UP-FORM', 'copy-file'] });
  expect(report.exitCode).toBe(1);
  expect(report.summary).toMatchObject({ fail: expect.toSatisfy((n) => n > 10), error: 0 });
  const messages = listProblems(report).map(({ cause }) => cause.findings[0]?.message);
  expect(messages).toEqual([expect.stringContaining(`the response ${cause}: `)]);
  expect(JSON.stringify(report)).not.toMatch(/[?&]sign=[^[]/);
  // Only the suite repeats what is about files, which it removes.
  const commands = report.results.flatMap(({ findings }) => findings.map(({ repeat }) => repeat));
  expect(commands.filter((command) => !command?.startsWith('npx @berth'))).toEqual([]);
});

test('dropped connections are errors, not failures of the target', async () => {
  let made = 0;
  await using target = await startFronted({ request: () => (++made % 3 === 0 ? drop : undefined) });
  const only = ['GW-ERROR', 'GW-PATH', 'UP-', 'dredd'];
  const { fail, error } = await runWithoutLeaks({ ...target.options, only });
  expect(fail).toEqual([]);
  expect(error.length).toBeGreaterThan(5);
  expect(error.filter((reason) => !/socket hang up|ECONNRESET/.test(reason))).toEqual([]);
});

test.each<[string, TakeOver, RegExp]>([
  ['throttles', send(TOO_MANY), /no WebSocket handshake .* \(.*every attempt got a 429\)/],
  ['never responds to', hang, /no WebSocket handshake .* \(.*no response within/],
])('an intermediary that %s handshakes skips only what needs WebSockets', async (...row) => {
  const [, takeOver, reason] = row;
  await using target = await startFronted({
    request: ({ headers }) =>
      headers.get('upgrade')?.toLowerCase() === 'websocket' ? takeOver : undefined,
  });
  const only = ['GW-WS', 'GW-HEADERS'];
  const ran = await runWithoutLeaks({ ...target.options, timeout: 1, only });
  expect(ran).toMatchObject({ fail: [], error: [], pass: ['GW-HEADERS'] });
  expect(ran.skip.length).toBeGreaterThan(2);
  expect(ran.skip.filter((text) => !reason.test(text))).toEqual([]);
  // Detected once.
  expect(ran.notices.filter((notice) => reason.test(notice))).toHaveLength(1);
});

test('without WebSockets, rules that are also about other calls are only partly checked', async () => {
  await using target = await startFronted({
    request: ({ headers }) => (headers.get('upgrade') === 'websocket' ? hang : undefined),
  });
  const gateway = 'FORWARD-HEADERS HEADERS HOP-BY-HOP QUERY-RAW REQUEST-ID-NEW STATUS'.split(' ');
  const only = ['AU-BEARER', 'AU-SIGNATURE', ...gateway.map((name) => `GW-${name}`)];
  // An entry for a fault that only handshakes show is not outdated.
  const more = { timeout: 2, only, known: [{ id: 'GW-QUERY-RAW' }] };
  const ran = await runWithoutLeaks({ ...target.options, ...more });
  expect(ran).toMatchObject({ exitCode: 0, fail: [], error: [], skip: [] });
  expect(ran.pass.toSorted()).toEqual(only);
  const partly = /^([A-Z-]+)\S* was only partly checked: no WebSocket handshake /;
  expect([...new Set(ran.unchecked.map((text) => partly.exec(text)?.[1]))].sort()).toEqual(only);
  expect(ran.notices).toHaveLength(1);
});

test.each<[string, TakeOver, RegExp]>([
  ['drop', drop, /did not respond 12 times in a row|hang up|within/],
  ['hang', hang, /did not respond 12 times in a row|hang up|within/],
  // The target does respond.
  ['send no end of the body of', sendEndlessly(`${OK}\r\na`, ''), /no response within 300 ms$/],
])('a target that starts to %s all calls ends the run', async (_, takeOver, reason) => {
  let count = 0;
  await using target = await startFronted({ request: () => (++count > 40 ? takeOver : undefined) });
  const only = ['GW-ERROR', 'GW-PATH', 'UP-', 'ST-LINKS'];
  const ran = await runWithoutLeaks({ ...target.options, timeout: 0.3, only });
  expect(ran.fail).toEqual([]);
  expect(ran.leftovers).toEqual(expect.arrayContaining(target.listFiles()));
  expect(ran.notices.at(-1)).toMatch(/^files may still exist in /);
  expect(ran.error.at(-1)).toMatch(reason);
});

describe('TLS', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });

  test('neither an untrusted certificate nor a missing one allows a run', async () => {
    await using target = await startFronted({}, { key, cert });
    expect(await runWithoutLeaks(target.options)).toMatchObject({
      exitCode: 2,
      sentence: expect.stringMatching(/cannot be reached: .*self-signed certificate/),
    });
    await using plain = await startSecond();
    const gatewayUrl = plain.options.gatewayUrl.replace('http:', 'https:');
    const options = { ...target.options, gatewayUrl, ca: cert, timeout: 2 };
    expect(await runWithoutLeaks(options)).toMatchObject({
      exitCode: 2,
      sentence: expect.stringMatching(/^the gateway at https:.* cannot be reached/),
    });
  });

  test('a trusted certificate allows every kind of call', async () => {
    await using target = await startFronted({}, { key, cert });
    const only = ['GW-PATH', 'GW-WS-CLOSE', 'GW-SSE', 'AU-TC3-COVERS', 'UP-FORM'];
    const ran = await runWithoutLeaks({ ...target.options, ca: cert, only });
    expect(ran).toMatchObject({ exitCode: 0, sentence: '', fail: [], error: [], skip: [] });
    expect(ran.pass).toEqual(expect.arrayContaining(['GW-WS-CLOSE', 'UP-FORM']));
  });

  test('the command that repeats a call trusts the same certificates', async () => {
    await using target = await startFronted(
      { response: ({ headers }) => headers.remove('X-Request-Id') },
      { key, cert },
    );
    const only = ['GW-REQUEST-ID/3', 'gateway cloudrun-get 404'];
    const { results } = await runOn(target, { ca: cert, only });
    const failed = results.filter(({ outcome }) => outcome === 'fail');
    expect(new Set(failed.map(({ engine }) => engine))).toEqual(new Set(['rules', 'dredd']));
    for (const result of failed) {
      expect(formatEvidence(result)).toMatch(/^repeat +curl .*--cacert "\$BERTH_CA"/ms);
    }
  });
});
