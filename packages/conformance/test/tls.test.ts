import { generate } from 'selfsigned';
import { beforeAll, expect, test } from 'vitest';
import { idsOf, mustsOf, runSuite } from './support/run-suite.ts';
import { startFronted, startSecond } from './targets/start-second.ts';

/** A few rules of each kind: plain calls, raw paths, WebSockets, event streams, signed calls, files. */
const only = ['GW-PATH', 'GW-WS-CLOSE', 'GW-SSE', 'AU-TC3-COVERS', 'UP-FORM'];
let tls: { key: string; cert: string };

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  tls = { key, cert };
});

test('neither an untrusted certificate nor a missing one allows a run', async () => {
  await using target = await startFronted({ tls });
  const ran = await runSuite(target.options);
  expect(ran.exitCode).toBe(2);
  expect(ran.sentence).toMatch(/cannot be reached: .*self-signed certificate/);
  await using plainTarget = await startSecond();
  const gatewayUrl = plainTarget.options.gatewayUrl.replace('http:', 'https:');
  const plain = await runSuite({ ...target.options, gatewayUrl, ca: tls.cert, timeout: 2000 });
  expect(plain.exitCode).toBe(2);
  expect(plain.sentence).toMatch(/^gatewayUrl: the gateway at https:.* cannot be reached/);
});

test('--ca makes it reachable', async () => {
  await using target = await startFronted({ tls });
  const ran = await runSuite({ ...target.options, ca: tls.cert, only });
  const others = ['fail', 'error', 'skip'].flatMap((outcome) => mustsOf(ran, outcome));
  expect([ran.sentence, ...others]).toEqual(['']);
  expect(ran.exitCode).toBe(0);
  expect(idsOf(ran, 'pass')).toEqual(expect.arrayContaining(['GW-WS-CLOSE', 'UP-FORM']));
});
