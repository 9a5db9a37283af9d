import { expect, test } from 'vitest';
import { runSuite } from './support/run-suite.ts';
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

test.each<[string, Deed, RegExp]>([
  ['accepts connections and never responds', 'hang', /no response within 500 ms/],
  ['drops every connection', 'drop', /socket hang up|ECONNRESET/],
  ['has headers without end', endless(OK, 'A: a\r\n'.repeat(1000)), /Header/i],
  [
    'has bodies without end',
    endless(`${OK}\r\n`, 'a'.repeat(65_536)),
    /exceeds|no response within/,
  ],
  ['begins a body and never ends it', endless(`${OK}\r\na`, ''), /no response within/],
  ['sends a head and no body', endless(`${OK}Content-Length: 9\r\n\r\n`, ''), /no response within/],
  ['speaks no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /Parse Error/],
])('a server that %s: no run', async (_, deed, sentence) => {
  await using target = await startFronted({ decide: () => deed });
  const ran = await runSuite({ ...target.options, timeout: 500 });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(
    /^(gateway|storage)Url: the (gateway|storage API) at http.* cannot be reached: .*\.$/s,
  );
  expect(ran.sentence).toMatch(sentence);
});

test('a target that always responds with 429 prevents the run after a few waits', async () => {
  const response = 'HTTP/1.1 429 Slow down\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';
  await using target = await startFronted({ decide: () => (socket) => void socket.end(response) });
  const ran = await runSuite(target.options);
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toContain('every attempt got a 429 (Too Many Requests)');
  expect(ran.notices).toContain('the target is rate-limiting; waiting 1 s');
  expect(target.gateway.count() + target.storage.count()).toBeLessThan(30);
});

const WRONG_GATEWAY = {
  gatewayToken: 'wrong-token',
  tc3: { secretId: 'wrong-id', secretKey: 'wrong-key' },
};
const WRONG_STORAGE = {
  'X-Svc-Authorization': 'wrong-authorization',
  'X-Svc-SessionToken': 'wrong-session',
  'X-Svc-TimeStamp': '1',
};

test('credentials that both targets reject prevent the run', async () => {
  await using target = await startFronted();
  const wrong = { ...WRONG_GATEWAY, storageHeaders: WRONG_STORAGE };
  const ran = await runSuite({ ...target.options, ...wrong });
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(
    /^Nothing can be checked: the gateway rejected all credentials .*; the storage API rejected the credentials /,
  );
  expect(ran.sentence).not.toContain('wrong');
});

test('a valid token next to a wrong key pair is enough', async () => {
  await using target = await startFronted();
  const { tc3 } = WRONG_GATEWAY;
  const ran = await runSuite({ ...target.options, tc3, only: ['GW-ERROR', 'GW-C', 'GW-QUERY'] });
  expect(ran.exitCode).toBe(0);
});
