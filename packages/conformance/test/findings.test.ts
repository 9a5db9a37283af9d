import { expect, test } from 'vitest';
import { createConformance, type Outcome } from '../src/index.ts';
import { formatEvidence } from '../src/report/overview.ts';
import { authenticate, onTrusted } from './mutants/hooks/credentials.ts';
import { frames } from './mutants/hooks/gateway.ts';
import { DELETE, entries, LINKS } from './mutants/hooks/storage.ts';
import { type Hooks, type Json, MutatedResponse } from './proxy/messages.ts';
import { drop, send } from './proxy/take-over.ts';
import { runOn, runSuite } from './run-suite.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startFronted, startSecond } from './targets/start-second.ts';

/** Errors of the gateway lose their `X-Request-Id`, and all of the body but the code. */
const bareErrors: Hooks['response'] = (response, { isGateway }) => {
  const { code, requestId } = Object(response.json);
  if (!isGateway || requestId === undefined) return;
  response.headers.remove('X-Request-Id');
  response.json = { code };
};

test('a known failure of one rule does not cover what a transaction or workflow finds about another', async () => {
  let status = 404;
  await using target = await startFronted({
    response(response, call) {
      bareErrors(response, call);
      if (response.status === 404) response.status = status;
    },
  });
  const only = ['gateway cloudrun-get 404', 'call-missing-service'];
  const runWith = async (...ids: string[]) => {
    const known = ids.map((id) => ({ id }));
    const { exitCode, results } = await runOn(target, { only, known });
    return [exitCode, results.filter(({ counts, outcome }) => counts && outcome === 'fail').length];
  };
  expect(await runWith('GW-REQUEST-ID')).toEqual([1, 2]);
  expect(await runWith('GW-ERROR')).toEqual([1, 2]);
  expect(await runWith('GW-REQUEST-ID', 'GW-ERROR')).toEqual([0, 0]);
  status = 410;
  expect(await runWith('GW-REQUEST-ID', 'GW-ERROR')).toEqual([1, 2]);
});

test.each([
  ['GW-ERROR/1', 2],
  ['GW-ERROR', 0],
])('a known failure of %s, with another sentence skipped, exits with %j', async (id, code) => {
  await using target = await startFronted({ response: bareErrors });
  const { exitCode, results } = await runOn(target, { only: ['GW-ERROR'], known: [{ id }] });
  expect(exitCode).toBe(code);
  expect(results.find((result) => result.id === 'GW-ERROR')?.sentences).toContainEqual({
    sentence: 'GW-ERROR/2',
    outcome: 'skip',
    reason: 'the run got no response that the rule applies to',
  });
});

test('the errors of a gateway without the fixture service are checked, even if they lack an ID', async () => {
  await using target = await startFronted({ response: bareErrors });
  const { gatewayUrl, gatewayHost, gatewayToken } = target.options;
  const access = { gatewayUrl, gatewayHost, gatewayToken, service: 'missing' };
  const ended: Outcome[] = [];
  const onCheck = ({ outcome }: { outcome: Outcome }) => ended.push(outcome);
  const options = { ...access, only: ['GW-ERROR'], onCheck };
  const { exitCode, results } = await createConformance(options).run();
  expect([exitCode, new Set(ended)]).toEqual([1, new Set(['fail', 'pass'])]);
  expect(results.find(({ id }) => id === 'GW-ERROR')?.outcome).toBe('fail');
});

test('the responses of a service whose name begins like a made-up one are not the errors of the gateway', async () => {
  await using target = await startFronted({
    request(request) {
      request.target = request.target.replace('/berth-fixture', '/conformance');
      const isLimited = request.query.includes('status=429&');
      return isLimited ? new MutatedResponse(429, {}, 'Slow down.') : undefined;
    },
  });
  const { gatewayUrl, gatewayHost, gatewayToken } = target.options;
  const options = { gatewayUrl, gatewayHost, gatewayToken, service: 'berth-fixture' };
  const ran = await runSuite({ ...options, only: ['GW-ERROR/1', 'GW-BODY'] });
  expect(ran).toMatchObject({ exitCode: 0, pass: ['GW-BODY', 'GW-ERROR'] });
});

test('a body that a gateway rejects by closing the connection is noted with its size in bytes', async () => {
  await using target = await startFronted({
    request: ({ body }) => (Buffer.byteLength(body) > 2 ** 20 ? drop : undefined),
  });
  const { exitCode, results } = await runOn(target, { only: ['GW-FORWARD-BODY'] });
  const notes = results.flatMap((result) => result.notes);
  expect([exitCode, notes]).toEqual([0, [expect.stringMatching(/^POST of 10\d{5} bytes: /)]]);
});

test('a link that is not issued does not count as one that has expired', async () => {
  await using target = await startMutated();
  const isThird = (_: unknown, index: number) => index === 2;
  target.use({ create: () => entries(LINKS, isThird, { code: 'NO' }) });
  const { results } = await runOn(target, { only: ['ST-LINKS-EXPIRE'], minLinkSeconds: 3 });
  expect(results.find(({ id }) => id === 'ST-LINKS-EXPIRE')?.outcome).toBe('disabled');
});

test('an environment whose name is as long as a label may be passes', async () => {
  await using target = await startSecond('e'.repeat(63));
  expect(await runOn(target, { only: ['GW-ENV-HOST'] })).toMatchObject({ exitCode: 0 });
});

test.each([
  ['GW-C2', 1],
  ['GW-C2/1', 0],
])('a known failure of GW-C2 that passes in a run of %s exits with %j', async (id, exitCode) => {
  await using target = await startSecond();
  const report = await runOn(target, { only: [id], known: [{ id: 'GW-C2' }] });
  expect(report).toMatchObject({ exitCode });
});

test('a call that follows others on its connection is repeated by the check, which makes them, too', async () => {
  await using target = await startMutated();
  const create = onTrusted((request, context) => {
    if (!request.headers.get('Authorization')) authenticate(request, context);
  });
  target.use({ create });
  const { results } = await runOn(target, { only: ['AU-EACH-CALL'] });
  const [failed] = results.filter(({ outcome }) => outcome === 'fail');
  const commands = failed && formatEvidence(failed).match(/^repeat .*/gm);
  expect(commands).toEqual([expect.stringMatching(/^repeat +npx \S+ --only AU-EACH-CALL /)]);
  expect(commands?.join()).toContain(` --gateway-url ${target.options.gatewayUrl} `);
});

test('a violation is repeated by the check that made the call, with the sentence', async () => {
  await using target = await startMutated();
  const response: Hooks['response'] = (response, { operation }) => {
    const { body } = Object(response.json);
    const isDeleted = body?.data?.fileList?.some(({ code }: Json) => code === 'SUCCESS');
    if (operation !== DELETE || !isDeleted) return;
    response.json = { ...response.json, body: { ...body, requestId: undefined } };
  };
  target.use({ create: () => ({ response }) });
  const runOnly = async (...only: string[]) => {
    const { results } = await runOn(target, { only });
    const finding = results.find(({ id }) => id === 'ST-PRESENT')?.findings[0];
    return finding?.repeat?.split(' ').slice(0, 4).at(-1);
  };
  expect(await runOnly('ST-PRESENT/1')).toBeUndefined();
  const both = 'ST-PRESENT/1,ST-LISTS/1';
  expect(await runOnly(...both.split(','))).toBe(both);
});

test('each violated sentence is shown with its ID, its call and its scope', async () => {
  await using target = await startFronted({
    response({ headers }, { isGateway, method }) {
      if (!isGateway || method !== 'POST') return;
      if (headers.get('Content-Disposition')) headers.remove('Content-Disposition');
      else headers.set('Content-Disposition', 'attachment');
    },
  });
  const { results } = await runOn(target, { only: ['GW-C2'] });
  const [evidence = ''] = results.filter(({ id }) => id === 'GW-C2').map(formatEvidence);
  const sections = evidence.split(/^contract /m).slice(1);
  expect(sections).toHaveLength(2);
  for (const [index, section] of sections.entries()) {
    expect(section).toMatch(/^scope +\d+ of \d+ responses$.*^request /ms);
    expect(section.startsWith(` GW-C2/${index + 1}: `)).toBe(true);
  }
});

test('a workflow that fails names the rules that its responses violate', async () => {
  await using target = await startFronted({
    response(response, { operation }) {
      const { json } = response;
      if (operation === 'batchCopyFile') response.json = { ...Object(json), statusCode: 'oops' };
    },
  });
  const only = ['copy-file'];
  const { results, exitCode } = await runOn(target, { only });
  const result = results.find(({ id }) => id === 'copy-file');
  expect([exitCode, result]).toMatchObject([1, { outcome: 'fail', rules: ['ST-RESPONSE'] }]);
  const known = [{ id: 'ST-RESPONSE' }];
  expect(await runOn(target, { only, known })).toMatchObject({ exitCode: 0 });
});

test.each(['999 Odd', '101 Go'])('an upload that gets %s fails its workflow', async (status) => {
  await using target = await startMutated();
  const response = send(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  target.use({ create: () => ({ request: ({ isUpload }) => (isUpload ? response : undefined) }) });
  const { results } = await runOn(target, { only: ['copy-file'] });
  const [finding] = results.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({
    message: expect.stringMatching(/^step upload.*: \$statusCode < 400 does not hold$/),
    response: { status: Number.parseInt(status, 10) },
  });
});

test('what stops Respect, but violates nothing, is an error', async () => {
  await using target = await startMutated();
  const response: Hooks['response'] = ({ headers }, { isDownload }) => {
    if (isDownload) headers.set('Content-Type', 'application/json');
  };
  target.use({ create: () => ({ response }) });
  const { results } = await runOn(target, { only: ['download-file'] });
  const workflow = results.find(({ id }) => id === 'download-file');
  expect(workflow).toMatchObject({ outcome: 'error', reason: expect.stringMatching(/^Respect: /) });
});

test.each([false, true])('expired credentials fail no check, interrupted: %j', async (stops) => {
  const ends = new AbortController();
  let isExpired = false;
  await using target = await startFronted({
    request({ headers }) {
      if (!isExpired) return;
      for (const name of ['Authorization', ...Object.keys(target.options.storageHeaders)]) {
        if (headers.get(name)) headers.set(name, 'Bearer expired');
      }
    },
  });
  const only = ['GW-ERROR-NOT-FOUND', 'ST-META-CALL', 'copy-file', 'call-service', 'AU-BEARER'];
  const options = { ...target.options, tc3SecretId: undefined, tc3SecretKey: undefined, only };
  const onCheck = ({ outcome }: { outcome: Outcome }) => {
    isExpired = true;
    if (outcome === 'fail' && stops) ends.abort();
  };
  const ran = await runSuite({ ...options, concurrency: 1, onCheck, signal: ends.signal });
  expect(ran).toMatchObject({ exitCode: 2, fail: [], error: [] });
  expect(ends.signal.aborted).toBe(stops);
  expect(ran.skip.length).toBeGreaterThan(2);
});

test('credentials without the header of the wire profile are not taken for missing or wrong ones', async () => {
  await using target = await startFronted({
    request({ isGateway, headers }) {
      if (isGateway || headers.get('Authorization') !== 'Bearer of a proxy') return;
      for (const [name, value] of Object.entries(target.options.storageHeaders)) {
        headers.set(name, value);
      }
    },
  });
  const storageHeaders = { Authorization: 'Bearer of a proxy' };
  const only = ['AU-STORAGE-REJECTED', 'AU-STORAGE-EACH-CALL'];
  const ran = await runSuite({ ...target.options, storageHeaders, only });
  const reason = /the storage credentials do not include X-Svc-Authorization$/;
  const skipped = expect.stringMatching(reason);
  expect(ran).toMatchObject({ fail: [], skip: [skipped, skipped] });
});

test('a gateway that loses the close of a caller fails, however short the timeout is', async () => {
  const CLOSE = 8;
  let isReply = false;
  await using target = await startFronted(
    frames((frame) => {
      if (frame.opcode !== CLOSE) return [frame];
      const isLost = frame.from === 'caller' && !isReply;
      isReply = frame.from === 'service';
      return isLost ? [] : [frame];
    }),
  );
  const ran = await runSuite({ ...target.options, timeout: 4, only: ['GW-WS-CLOSE'] });
  expect(ran).toMatchObject({ fail: [expect.stringMatching(/^GW-WS-CLOSE: /)], error: [] });
});
