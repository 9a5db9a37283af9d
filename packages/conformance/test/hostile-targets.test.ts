import { describe, expect, test } from 'vitest';
import { idsOf, mustsOf, runSuite } from './support/run-suite.ts';
import type { Deed } from './support/start-front.ts';
import { startFronted } from './targets/start-second.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const endless = (head: string, part: string): Deed => {
  return (socket) => {
    socket.write(head);
    const write = () => {
      while (part !== '' && !socket.destroyed && socket.write(part));
    };
    socket.on('drain', write);
    write();
  };
};
const sending =
  (text: string): Deed =>
  (socket) =>
    void socket.end(text);
const tooMany = (seconds: number) =>
  sending(`HTTP/1.1 429 Slow down\r\nRetry-After: ${seconds}\r\nContent-Length: 0\r\n\r\n`);

describe('from the first call', () => {
  test.each<[string, Deed, RegExp]>([
    ['accepts connections and never responds', 'hang', /no response within 300 ms/],
    ['drops every connection', 'drop', /socket hang up|ECONNRESET/],
    ['has headers without end', endless(OK, 'A: a\r\n'.repeat(1000)), /Header/i],
    ['has bodies without end', endless(`${OK}\r\n`, 'a'.repeat(65_536)), /exceeds|within/],
    ['begins a body and never ends it', endless(`${OK}\r\na`, ''), /no response within/],
    ['speaks no HTTP', sending('SSH-2.0-OpenSSH_9.9\r\n'), /Parse Error/],
    ['always responds with 429', tooMany(1), /every attempt got a 429/],
  ])('a server that %s: no run', async (_, deed, sentence) => {
    await using target = await startFronted({ decide: () => deed });
    const ran = await runSuite({ ...target.options, timeout: 300 });
    expect(ran.exitCode).toBe(2);
    expect(ran.sentence).toMatch(
      /^(gateway|storage)Url: the (gateway|storage API) at http.* cannot be reached: .*\.$/s,
    );
    expect(ran.sentence).toMatch(sentence);
    expect(target.gateway.count() + target.storage.count()).toBeLessThan(30);
  });
});

const WRONG_KEY = { secretId: 'wrong-id', secretKey: 'wrong-key' };
const WRONG_STORAGE = {
  'X-Svc-Authorization': 'wrong-authorization',
  'X-Svc-SessionToken': 'wrong-session',
  'X-Svc-TimeStamp': '1',
};

test('credentials that both targets reject prevent the run', async () => {
  await using target = await startFronted();
  const wrong = { gatewayToken: 'wrong-token', tc3: WRONG_KEY, storageHeaders: WRONG_STORAGE };
  const ran = await runSuite({ ...target.options, ...wrong });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(
    /^Nothing can be checked: the gateway rejected all credentials .*; the storage API rejected the credentials /,
  );
  expect(ran.sentence).not.toContain('wrong');
});

const response = (status: string, type: string, body: string) =>
  [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`, '', body].join(
    '\r\n',
  );

test.each([
  ['HTML', response('200 OK', 'text/html', '<!doctype html><title>Hi</title>'), ['dredd']],
  ['a 500', response('500 Oh', 'text/plain', 'Oh.'), []],
  ['a JSON list', response('200 OK', 'application/json', '[null]'), []],
  ['an empty 999', response('999 Odd', 'application/json', ''), []],
])('%s everywhere: MUSTs fail, nothing passes, and no check breaks', async (_, text, engines) => {
  await using target = await startFronted({ decide: () => sending(text) });
  const rules = ['GW-ERROR', 'GW-C', 'GW-WS-MESSAGES', 'ST-META', 'ST-DELETE-CALL', 'ST-COPY-CALL'];
  const only = [...rules, ...engines];
  const ran = await runSuite({ ...target.options, timeout: 2000, only });
  expect(mustsOf(ran, 'error').filter((one) => one.includes('bug in the suite'))).toEqual([]);
  expect(idsOf(ran, 'pass')).toEqual([]);
  expect(ran.exitCode).toBe(1);
  expect(idsOf(ran, 'fail')).toContain('GW-ERROR-NOT-FOUND');
});

test('dropped connections are errors, not failures of the target', async () => {
  await using target = await startFronted({
    decide: (index) => (index % 3 === 0 ? 'drop' : 'pass'),
  });
  const ran = await runSuite({ ...target.options, only: ['GW-ERROR', 'GW-PATH', 'UP-', 'dredd'] });
  expect(mustsOf(ran, 'fail')).toEqual([]);
  expect(ran.exitCode).toBe(4);
  const errors = mustsOf(ran, 'error');
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.filter((one) => !/socket hang up|ECONNRESET/.test(one))).toEqual([]);
});

test('an intermediary that never responds to handshakes is found with one call', async () => {
  let handshakes = 0;
  await using target = await startFronted({
    decide(_, head) {
      if (!/^upgrade: websocket/im.test(head)) return 'pass';
      handshakes += 1;
      return 'hang';
    },
  });
  const only = ['GW-WS', 'GW-HEADERS'];
  const ran = await runSuite({ ...target.options, timeout: 1000, only });
  expect([...mustsOf(ran, 'fail'), ...mustsOf(ran, 'error')]).toEqual([]);
  expect(idsOf(ran, 'pass')).toEqual(['GW-HEADERS']);
  const skipped = mustsOf(ran, 'skip');
  expect(skipped.length).toBeGreaterThan(2);
  for (const one of skipped) expect(one).toMatch(/: no handshake of a WebSocket gets a response/);
  expect(ran.notices.length).toBe(1);
  expect(handshakes).toBe(1);
});

test('after an occasional 429, calls wait and all checks pass', async () => {
  await using target = await startFronted({
    decide: (index) => (index % 50 === 0 ? tooMany(1) : 'pass'),
  });
  const ran = await runSuite({ ...target.options, only: ['GW-ERROR', 'GW-NAME', 'ST-LISTS'] });
  const others = ['fail', 'error', 'skip'].flatMap((outcome) => mustsOf(ran, outcome));
  expect(others).toEqual([]);
  expect(ran.exitCode).toBe(0);
  expect(ran.notices).toContain('the target is rate-limiting; waiting 1 s');
});

test.each(['drop', 'hang'] as const)('a target that starts to %s all calls', async (deed) => {
  await using target = await startFronted({ decide: (index) => (index > 40 ? deed : 'pass') });
  const only = ['GW-ERROR', 'GW-PATH', 'UP-', 'ST-LINKS'];
  const ran = await runSuite({ ...target.options, timeout: 300, only });
  expect(mustsOf(ran, 'fail')).toEqual([]);
  expect(ran.exitCode).toBe(4);
  expect(ran.report?.leftovers).toEqual(expect.arrayContaining(target.listFiles()));
  expect(ran.notices.at(-1)).toMatch(/^files that the run stored may still exist: /);
  expect(mustsOf(ran, 'error').at(-1)).toMatch(/did not respond 12 times in a row|hang up|within/);
});
