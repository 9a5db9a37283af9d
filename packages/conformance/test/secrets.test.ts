import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { findRule } from '../src/contract/catalog.ts';
import { createConformance } from '../src/index.ts';
import { SECRETS } from '../src/options.ts';
import { Redactor } from '../src/results/redact.ts';
import { reporters } from '../src/run-cli.ts';
import { frames, type SocketFrame, toRefusal } from './mutants/hooks/gateway.ts';
import { metadata } from './mutants/hooks/storage.ts';
import { run, runAgainst } from './run-suite.ts';
import { startBroken, startFronted, startSecond, toFlag } from './targets/start-second.ts';

const SIGNATURE = 'c0ffee0123456789c0ffee';
const TEXTS = SECRETS.filter((name) => name !== 'storageHeaders');
const secretOf = (name: (typeof SECRETS)[number]) => `secret-${name} "quoted"+/=<&>`;
const AUTHORIZATION = `1.0 TC3 Signature=${SIGNATURE}`;
const SESSION = 'session-secret';
const OPTIONS = [
  ...TEXTS.flatMap((name) => [toFlag(name), secretOf(name)]),
  '--tc3-secret-id',
  'the-id',
  '--storage-header',
  `X-Svc-Authorization: ${AUTHORIZATION}`,
  '--storage-header',
  `X-Svc-SessionToken: ${SESSION}`,
];
const ALL = [...TEXTS.map(secretOf), AUTHORIZATION, SESSION];

/** How a server may write what it was sent, by name. */
const SPELLINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON with escaped slashes': (text) =>
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'in a URL': encodeURIComponent,
  'in base64': (text) => Buffer.from(text).toString('base64'),
};

/** Echoes what it received in header names and values and the body, in every spelling. */
const parrot = createServer((request, response) => {
  const received = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const message = ALL.flatMap((secret) => Object.values(SPELLINGS).map((spell) => spell(secret)));
  response.setHeader('X-Request-Id', ALL[0] ?? '');
  response.setHeader('X-Received', received.map(encodeURIComponent));
  response.setHeader('Location', `/?token=${encodeURIComponent(ALL.join(' '))}`);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ code: ALL[0], message: message.join(' '), received }));
  request.resume();
});

/** Runs the command line with every report, and returns all that it showed and wrote. */
async function runWithReports(...args: string[]): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const kinds = Object.keys(reporters);
  const files = kinds.map((kind) => join(folder.path, kind));
  const reports = kinds.map((kind, index) => `${kind}=${files[index]}`).join();
  const { output } = await run(...args, '--report', reports);
  const written = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [output, ...written].join('\n');
}

test('no credential is ever shown, however the target echoes it', async () => {
  await using target = await listen(parrot);
  const urls = ['--gateway-url', target.url, '--storage-url', target.url];
  const only = ['--only', 'GW-ERR,GW-C,AU-,ST-META,ST-RESPONSE'];
  const shown = await runWithReports(...urls, ...OPTIONS, ...only);
  expect(shown).toContain('[redacted]');
  expect(shown).toContain('curl -q -i');
  for (const secret of [...ALL, SIGNATURE]) {
    for (const [name, spell] of Object.entries(SPELLINGS)) {
      expect(shown.includes(spell(secret)), `${secret} ${name}`).toBe(false);
    }
  }
});

const startEcho = (status: number, type: string, body: string) =>
  listen(
    createServer((request, response) => {
      response.writeHead(status, { 'Content-Type': type, 'X-Request-Id': 'r' }).end(body);
      request.resume();
    }),
  );

test.each([400, 4860, 4880, 4900, 4999])('a cut credential is hidden: %d', async (length) => {
  const [secret = ''] = ALL;
  await using target = await startEcho(400, 'text/plain', 'a'.repeat(length) + secret);
  const urls = ['--gateway-url', target.url, '--storage-url', target.url];
  const shown = await runWithReports(...urls, ...OPTIONS, '--only', 'GW-NAME/2');
  expect(shown).toMatch(/ but the response was 400 a+(\[redacted: \w+\]|\S*…)/);
  expect(shown).not.toContain(secret.slice(0, 8));
});

test('a body that is cut shows its text up to a credential, however long that is', () => {
  const redactor = new Redactor();
  redactor.add('t'.repeat(20_000));
  const response = { status: 200, headers: {}, body: `text ${'t'.repeat(9)}`, bodySize: 20_000 };
  const finding = { message: '', where: '', response };
  const failed = { outcome: 'fail' as const, findings: [finding], notes: [], sentences: [] };
  const { findings } = redactor.redactResult({ ...failed, case: findRule('GW-C1'), durationMs: 0 });
  expect(findings[0]?.response?.body).toBe('text [redacted]');
});

test('a WebSocket message that is cut within a credential shows no part of it', async () => {
  const change = (frame: SocketFrame) => {
    const isText = frame.from === 'service' && frame.opcode === 1;
    return [isText ? { ...frame, data: Buffer.from('x'.repeat(24) + gatewayToken) } : frame];
  };
  await using target = await startFronted(frames(change));
  const { gatewayToken } = target.options;
  const { output } = await run(...target.args, '--only', 'GW-WS-MESSAGES/1');
  expect(output).toMatch(/must arrive first, not \d+ bytes, "x{24}\[redacted/);
  expect(output).not.toContain(gatewayToken.slice(0, 12));
});

test('the error of a run that cannot start shows no credential that the target echoes', async () => {
  const gatewayToken = secretOf('gatewayToken');
  const body = JSON.stringify({ code: gatewayToken, message: '', requestId: 'r' });
  await using target = await startEcho(401, 'application/json', body);
  const conformance = createConformance({ gatewayUrl: target.url, gatewayToken });
  const sentence =
    /rejects the credentials provided \(401 \[redacted: BERTH_GATEWAY_TOKEN\]\); see gatewayToken or /;
  await expect(conformance.run()).rejects.toThrow(sentence);
});

test('failure reports contain no upload grants and no signatures', async () => {
  await using target = await startSecond();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  // Its responses are not flat.
  const wireProfile = join(folder.path, 'flat.json');
  await writeFile(wireProfile, '{"envelope":"flat"}');
  const only = ['--only', 'ST-META,ST-LINKS,ST-RESPONSE,UP-FORM,AU-TC3-'];
  const shown = await runWithReports(...target.args, ...only, '--wire-profile', wireProfile);
  expect(shown).toContain('fail ');
  const { gatewayToken, otherEnvToken, expiredToken, tc3SecretKey } = target.options;
  for (const secret of [gatewayToken, otherEnvToken, expiredToken, tc3SecretKey]) {
    expect(shown).not.toContain(secret);
  }
  expect(shown).not.toMatch(/Signature=[0-9a-f]{16}/);
});

test('a command that repeats a call takes each secret from a variable', async () => {
  await using target = await startBroken();
  const tenant = ['--storage-header', 'X-Tenant: cloudrun'];
  const only = ['--only', 'ST-PRESENT,GW-ERROR-NOT-FOUND'];
  const { output } = await run(...target.args, ...tenant, ...only);
  for (const secret of Object.values(target.options.storageHeaders)) {
    expect(output).not.toContain(secret);
  }
  const commands = output.match(/^ +repeat +curl .*?(?=^ +also |^$)/gms) ?? [];
  const bearer = /-H "Authorization: Bearer \$\{BERTH_GATEWAY_TOKEN\}" .*\/v1\/\$\{X_TENANT\}\//s;
  const ofStorage =
    /-H "X-Svc-Authorization: \$\{X_SVC_AUTHORIZATION\}" .*-H "X-Tenant: \$\{X_TENANT\}"/s;
  expect(commands).toEqual([bearer, ofStorage].map((regexp) => expect.stringMatching(regexp)));
});

test('a credential that is an ordinary word changes nothing but what a call quotes', async () => {
  await using target = await startFronted({
    request: ({ isGateway, headers }) =>
      isGateway && headers.get('Authorization')?.startsWith('TC3')
        ? toRefusal(401, 'SIGNATURE')
        : undefined,
  });
  const words = ['SIGNATURE', 'request', 'headers', 'body'];
  const args = words.flatMap((word, index) => ['--storage-header', `X-Word-${index}: ${word}`]);
  const { code, output } = await run(...target.args, ...args, '--only', 'AU-SIGNATURE');
  expect(code).toBe(1);
  expect(output).toMatch(/^fail +AU-SIGNATURE$/m);
  const repeat =
    /^ +request +GET http.*^ +repeat +npx \S+ --only AU-SIGNATURE .* --gateway-url http/ms;
  expect(output).toMatch(repeat);
  expect(output).not.toContain(target.options.gatewayToken);
  expect(output).toContain('was 401 [redacted: X_WORD_0]');
});

test('a target cannot name a variable whose value a command would send to it', async () => {
  await using target = await startFronted(metadata((grant) => (grant.fileID = '[redacted: HOME]')));
  const { output } = await run(...target.args, '--only', 'ST-DELETE-CALL,ST-LINKS-CALL,ST-PRESENT');
  expect(output).toContain('"fileID":"[redacted]"');
  expect(output).not.toContain('HOME');
});

test.each([
  [['--storage-header', SESSION]],
  [['--storage-header', `Bad Name: ${SESSION}`]],
  [['--storage-header', 'X-Svc-SessionToken:', SESSION]],
  [[`--gateway-tokn=${SESSION}`]],
  [[`--gateway-url=http://user:${SESSION}@127.0.0.1`]],
  [[`--timeout=${SESSION}`]],
  [[`--request-form=${SESSION}`]],
  [['--tc3-secret-key', SESSION]],
])('no error about the command line shows it: %j', async (args) => {
  const { code, output } = await runAgainst('http://127.0.0.1:1', ...args);
  expect(code).toBe(2);
  expect(output).not.toContain(SESSION);
});
