import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import gatewayDocument from '@berth/spec/gateway.v1.json' with { type: 'json' };
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, onTestFinished, test, vi } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import { createMock } from '../src/index.ts';
import { gateway, storage } from './helpers/calls.ts';
import { finish, runCli, spawnCli, untilReady } from './helpers/cli.ts';
import { writeFiles } from './helpers/files.ts';

const run = promisify(execFile);

const [profile = '', petstore = ''] = await writeFiles({
  "it's acme.json": JSON.stringify(acme),
  'petstore.yaml': `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths: { /pets: { get: { operationId: list, responses: { 200: { description: All. } } } } }
`,
});

/** Starts a mock on a free port; it ends with the test. */
async function start(...args: string[]) {
  const child = spawnCli('--port', '0', ...args);
  onTestFinished(() => void child.kill('SIGKILL'));
  const finished = finish(child);
  const printed = await untilReady(child);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] as string;
  return { child, finished, printed, url };
}

/** Runs the printed commands, as a shell does if they are pasted. */
async function expectSuccess(printed: string): Promise<void> {
  const script = printed.slice(printed.indexOf('# Call'), printed.indexOf('\nready'));
  const { stdout, stderr } = await run('sh', ['-ec', script]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/"method":"GET".*\/a\/b.*x=1/);
  expect(stdout).toMatch(/^HTTP\/1.1 20[14] /m);
  expect(stdout).toMatch(/^Hello from Berth\.$/m);
}

testOn('curl')('prints curl commands that succeed in order, twice', async () => {
  const { child, finished, printed, url } = await start('--env', 'shop', '--log', 'quiet');
  expect(printed).toMatch(/Gateway +http:\/\/127\.0\.0\.1:\d+\/v1\/cloudrun\//);
  expect(printed).toMatch(/Storage API +http:\/\/127\.0\.0\.1:\d+\/api\/v2\/envs\/shop\n/);
  for (let round = 0; round < 2; round += 1) await expectSuccess(printed);
  const page = await fetch(url, { headers: { accept: 'text/html,*/*' } });
  expect([page.url, page.status]).toEqual([`${url}/__mock/`, 200]);
  child.kill('SIGINT');
  expect(await finished).toEqual({ code: 0, stdout: printed, stderr: '' });
});

testOn('curl')('the commands use the printed credentials and the wire profile', async () => {
  const { printed } = await start('--credentials', 'strict', '--wire-profile', profile);
  const token = /^Access token +(\S+)$/m.exec(printed)?.[1];
  expect(printed).toMatch(/^Key pair +BERTH_TC3_SECRET_ID=\S+ BERTH_TC3_SECRET_KEY=\S+$/m);
  expect(printed).toMatch(/^npx @berth\/conformance \\\n(.* \\\n)+.*--other-env-token \S+$/m);
  expect(printed).toContain(`--env dev --wire-profile '${profile.replace("'", "'\\''")}' \\\n`);
  expect(printed).toContain(`-H 'Authorization: Bearer ${token}'`);
  expect(printed).toContain("-H 'X-Acme-Authorization: 1.0 TC3");
  await expectSuccess(printed);
});

test('prints why a service fails, even after its response, and keeps running if stderr is closed', async () => {
  // The terminal and the parent process may both send a signal.
  const text = `process.once('SIGINT', () => setImmediate(() => process.kill(process.pid, 'SIGINT')));
    const late = () => {
      setImmediate(() => Promise.reject(new Error('rejected')));
      setImmediate(() => setImmediate(() => { throw new Error('thrown'); }));
      return new Response('ok');
    };
    export default { late, broken: () => { throw new Error('broken'); } };`;
  const [file = ''] = await writeFiles({ 'late.ts': text });
  const { child, finished, url } = await start('--services', file);
  expect((await gateway({ url }, { path: '/v1/cloudrun/late' })).text).toBe('ok');
  const broken = gateway({ url }, { path: '/v1/cloudrun/broken' });
  let warned = '';
  for await (const text of child.stderr ?? []) {
    warned += text;
    const texts = ['Error: rejected', 'Error: thrown', 'The service broken failed: Error: broken'];
    if (texts.every((text) => warned.includes(text))) break;
  }
  await broken;
  child.stderr?.destroy();
  for (let count = 0; count < 3; count += 1) {
    const { status } = await gateway({ url }, { path: '/v1/cloudrun/broken' });
    expect(status).toBe(500);
  }
  child.kill('SIGINT');
  expect((await finished).code).toBe(0);
});

test('names a draft, applies --origins and --faults, and prints why a call is rejected', async () => {
  const info = { title: 'Our gateway', version: '1.1.0' };
  const text = JSON.stringify({ ...gatewayDocument, info });
  const [draft = ''] = await writeFiles({ 'draft.json': text });
  const page = 'https://app.example.com';
  const origins = ['--origins', page, '--origins', 'https://b.example.com'];
  const faults = ['--faults', 'link:reset', '--faults', 'batchDelete:code=SYS_ERR,times=1'];
  const { child, finished, printed, url } = await start(draft, ...origins, ...faults);
  expect(printed).toContain(`Mock of the Our gateway 1.1.0 (${draft}) and the Storage API `);
  const path = '/v1/cloudrun/hello';
  const allowed = await gateway({ url }, { path: `${path}?a=1`, headers: { origin: page } });
  expect(allowed.headers['access-control-allow-origin']).toBe(page);
  for (const status of [500, 200]) {
    expect((await storage({ url }, 'batchDelete', { fileList: [] })).status).toBe(status);
  }
  const headers = { authorization: '', 'x-mock-session': '\x9b2J' };
  await gateway({ url }, { path, headers });
  await storage({ url }, 'batchDelete', { fileList: 'secret' });
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await finished;
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.slice(stdout.indexOf('\nready\n') + 7).split('\n');
  expect(lines[0]).toMatch(/^GET \/v1\/cloudrun\/hello\?a=1 200 \d+ ms$/);
  expect(lines.at(-3)).toMatch(/hello 401 \d+ ms session=\?2J: INVALID_CREDENTIALS: .* "Bearer/);
  expect(lines.at(-2)).toMatch(/^POST \/api\S+batchDelete 400 \d+ ms: .*fileList must be an array/);
});

test('--log json prints an object when it is ready, and one for each call', async () => {
  const { child, finished, url } = await start('--log', 'json');
  const headers = { authorization: 'Bearer topsecret', 'x-mock-session': 'a' };
  await gateway({ url }, { path: '/v1/cloudrun/hello', headers });
  child.kill('SIGTERM');
  const { stdout } = await finished;
  const [ready, logged, ...rest] = stdout.trim().split('\n');
  expect(JSON.parse(ready as string)).toEqual({ url, ready: true });
  const call = { session: 'a', operationId: 'cloudrun-get-root', status: 200 };
  expect(JSON.parse(logged as string)).toMatchObject({ ...call, ms: expect.any(Number) });
  expect([rest, stdout.includes('topsecret')]).toEqual([[], false]);
});

test.each<[string | undefined, object, string[], number, string]>([
  [undefined, {}, ['--help'], 0, 'Usage: berth-mock [options] [document]\n'],
  ['npx', {}, ['--help'], 0, 'Usage: npx berth-mock [options] [document]\n'],
  ['start', {}, ['--help'], 0, 'Usage: npm start -- [options] [document]\n'],
  ['start', { port: 'true' }, ['4011'], 2, '--port: write npm start -- --port 4011\n'],
  ['start', { max_session_bytes: '9' }, [], 2, 'npm start -- --max-session-bytes 9\n'],
  ['start', { dynamic: 'true' }, ['a.yaml'], 2, 'npm start -- --dynamic a.yaml\n'],
  ['start', { env: 'true', port: 'true' }, ['9', 'a'], 2, '-- --port … --env …\n'],
])('names the command that was typed: %s with %j and %j', async (event, npm, args, code, text) => {
  vi.stubEnv('npm_lifecycle_event', event);
  for (const [name, value] of Object.entries(npm)) vi.stubEnv(`npm_config_${name}`, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { stdout, stderr, ...finished } = await runCli(...args);
  expect([finished.code, stdout + stderr]).toEqual([code, expect.stringContaining(text)]);
  for (const part of ['--port', '--max-session-bytes', '4010']) {
    if (code === 0) expect(stdout).toContain(part);
  }
});

test('reports a port that is in use with one sentence and exit code 2', async () => {
  await using mock = await createMock();
  expect(await runCli('--port', String(mock.port))).toEqual({
    code: 2,
    stdout: '',
    stderr: `Port ${mock.port} is already in use: stop the other program, or choose another port with --port.\n`,
  });
});

const none = 'test/none';
const MISSING = `There is no file ${resolve(none)}: check the path.`;
test.each<[string[], string | RegExp]>([
  [['--services', none], `${MISSING}\n`],
  [['--services', '.'], `There is no file ${process.cwd()}: check the path.\n`],
  [['--services', `ab=${none}.json`], `services: ab: ${MISSING.replace('none', 'none.json')}\n`],
  [['--services', 'http://a.example:80'], /: add a name, such as shop=http:\/\/a\.example:80\.$/m],
  [['--services', '127.0.0.1:80'], /: add a name, such as shop=127\.0\.0\.1:80\.$/m],
  [['--services', 'a.cjs'], /^a\.cjs: the file is in CommonJS: use an ES module, /m],
  [['--services', petstore], /neither TypeScript .*, such as shop=.*petstore\.yaml\.$/m],
  [['--wire-profile', none], `is invalid. ${MISSING}\n`],
  [['--host', '192.0.2.1', '--port', '0'], /^192\.0\.2\.1 is not an address of this machine: /],
  [['--prot', '1'], /Did you mean --port\?\)\s+See .*berth-mock --help for the options\.$/m],
  [['extra.yaml', 'extra'], 'too many arguments'],
  [[petstore, '--credentials', 'strict'], /^--credentials has no effect .*petstore\.yaml, /],
  [[petstore, '--services', 'shop=http://a.example'], /^--services has no effect /],
  [[petstore, '--env', 'shop'], /^--env has no effect /],
  [[petstore, '--faults', 'lisst:reset'], /^--faults: match .*Did you mean list\?$/m],
  [[none], `${MISSING}\n`],
  [['--services', 'shop=htp:/x'], /^services: shop: use a function .*, got 'htp:\/x'\.$/m],
  [['--origins', 'foo'], "'foo' is invalid. It must be an origin such as https://app.example.com,"],
  [['--services', 'shop=http://a', '--services', 'shop=http://b'], 'shop must not be repeated'],
  [['--services', none, '--services', 'shop=http://a.example'], '--services takes one file, or'],
])('rejects %j with exit code 2', async (args, sentence) => {
  const { code, stdout, stderr } = await runCli(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(sentence);
});
