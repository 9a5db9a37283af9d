import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import packageInfo from '../package.json' with { type: 'json' };
import { createMock } from '../src/index.ts';
import { gateway, storage } from './helpers/calls.ts';
import { finish, runCli, spawnCli, spawnCliWith, untilReady } from './helpers/cli.ts';
import { replaceFile } from './helpers/replace-file.ts';

const run = promisify(execFile);
const dir = await mkdtemp(join(tmpdir(), 'berth-cli-'));
afterAll(() => rm(dir, { recursive: true }));

const urlOf = (printed: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] as string;

describe('a running mock', () => {
  const child = spawnCli('--port', '0', '--env', 'shop');
  const finished = finish(child);
  let printed = '';
  beforeAll(async () => {
    printed = await untilReady(child);
  });
  afterAll(() => child.kill('SIGKILL'));

  testOn('curl')('prints curl commands that succeed in order, twice', async () => {
    expect(printed).toMatch(/Gateway +http:\/\/127\.0\.0\.1:\d+\/v1\/cloudrun\//);
    expect(printed).toMatch(/Storage API +http:\/\/127\.0\.0\.1:\d+\/api\/v2\/envs\/shop\n/);
    for (let round = 0; round < 2; round += 1) await expectSuccess(printed);
  });

  test('exits with 0 after SIGINT, without any output on stderr', async () => {
    child.kill('SIGINT');
    expect(await finished).toMatchObject({ code: 0, stderr: '' });
  });
});

test('applies --origins and --fault; exits with 0 after SIGTERM', async () => {
  const own = 'https://app.example.com';
  const child = spawnCli(
    ...['--port', '0', '--origins', own, 'https://b.example.com'],
    ...['--fault', 'service:echo:code=SERVICE_FORBIDDEN'],
    ...['--fault', 'batchDelete:code=SYS_ERR,times=1'],
  );
  const finished = finish(child);
  try {
    const url = urlOf(await untilReady(child));
    const ask = (headers: Record<string, string>, service = 'hello') =>
      gateway({ url }, { path: `/v1/cloudrun/${service}`, headers });
    for (const origin of [own, 'https://b.example.com']) {
      const { headers } = await ask({ origin });
      expect(headers['access-control-allow-origin']).toBe(origin);
    }
    const foreign = await ask({ origin: 'https://c.example.com' });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    for (const id of ['', 'a', 'b']) {
      const headers = { 'x-mock-session': id };
      const refused = await ask(headers, 'echo');
      expect([refused.status, refused.json.code]).toEqual([403, 'SERVICE_FORBIDDEN']);
      const body = { fileList: [] };
      expect((await storage({ url }, 'batchDelete', body, headers)).status).toBe(500);
      expect((await storage({ url }, 'batchDelete', body, headers)).status).toBe(200);
    }
    child.kill('SIGTERM');
    expect(await finished).toMatchObject({ code: 0, stderr: '' });
  } finally {
    child.kill('SIGKILL');
  }
});

describe('a line for each call', () => {
  async function printedFor(...args: string[]): Promise<string[]> {
    const child = spawnCli('--port', '0', ...args);
    const finished = finish(child);
    const url = urlOf(await untilReady(child));
    await gateway({ url }, { path: '/v1/cloudrun/hello?a=1' });
    await gateway({ url }, { path: '/v1/cloudrun/hello', headers: { authorization: '' } });
    await storage({ url }, 'batchDelete', { fileList: 'secret' });
    await fetch(`${url}/`, { method: 'POST', body: new FormData() });
    child.kill('SIGTERM');
    const { stdout } = await finished;
    return stdout.slice(stdout.indexOf('\nready\n') + 7).split('\n');
  }

  test('names method, path, status and duration, and why a call is refused', async () => {
    expect(await printedFor()).toEqual([
      expect.stringMatching(/^GET \/v1\/cloudrun\/hello\?a=1 200 \d+ ms$/),
      expect.stringMatching(
        /^GET \/v1\/cloudrun\/hello 401 \d+ ms: INVALID_CREDENTIALS: .* "Bearer/,
      ),
      expect.stringMatching(/^POST \/api\S+batchDelete 400 \d+ ms: fileList must be an array/),
      expect.stringMatching(/^POST \/ 40\d \d+ ms: .*\w/),
      '',
    ]);
  });

  test('is missing with --quiet', async () => {
    expect(await printedFor('--quiet')).toEqual(['']);
  });
});

test('leads browsers to the page', async () => {
  const child = spawnCli('--port', '0');
  try {
    const url = urlOf(await untilReady(child));
    const page = await fetch(url, { headers: { accept: 'text/html,*/*' } });
    expect([page.url, page.status]).toEqual([`${url}/__mock/`, 200]);
    expect((await fetch(url)).status).toBe(405);
  } finally {
    child.kill('SIGKILL');
  }
});

testOn('curl')('with --auth strict, the commands use the printed credentials', async () => {
  const child = spawnCli('--port', '0', '--auth', 'strict');
  try {
    const printed = await untilReady(child);
    const token = /^Access token +(\S+)$/m.exec(printed)?.[1];
    expect(printed).toMatch(/^Key pair +\S+ \S+$/m);
    expect(printed).toContain(`-H 'Authorization: Bearer ${token}'`);
    await expectSuccess(printed);
  } finally {
    child.kill('SIGKILL');
  }
});

test('caches compiled code for the next start, if Node supports it', async () => {
  const folder = join(dir, 'compiled');
  await mkdir(folder);
  await finish(spawnCliWith({ TMPDIR: folder, TEMP: folder, NODE_COMPILE_CACHE: '' }, '--version'));
  expect(await readdir(folder)).toEqual(['node-compile-cache']);
});

test('--services serves a folder, and reports changes and errors', async () => {
  const folder = join(dir, 'services');
  await mkdir(folder);
  const define = (text: string) =>
    replaceFile(join(folder, 'orders.ts'), `export default { routes: { ${text} } };`);
  await define("'PUT /': {}");
  const refused = await runCli('--port', '0', '--services', folder);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /^\S+\/orders\.ts: routes\["PUT \/"\] must begin with GET, POST or WS/,
  );
  await define("'GET /': { json: 1 }");
  const child = spawnCli('--port', '0', '--quiet', '--services', folder);
  const ended = finish(child);
  const url = urlOf(await untilReady(child));
  const headers = { authorization: 'Bearer any' };
  const respond = async () => (await fetch(`${url}/v1/cloudrun/orders`, { headers })).text();
  expect(await respond()).toBe('1');
  const reported = (name: 'stdout' | 'stderr') =>
    once(child[name] as NodeJS.EventEmitter, 'data').then(String);
  const fault = reported('stderr');
  await define("'GET /': 2");
  expect(await fault).toBe(
    `${folder}/orders.ts: routes["GET /"] must be a response or a function.\n`,
  );
  expect(await respond()).toBe('1');
  const change = reported('stdout');
  await define("'GET /': { json: 2 }");
  expect(await change).toBe(`Reloaded services: ${folder}/orders.ts\n`);
  expect(await respond()).toBe('2');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('--version and --help print and exit with 0', async () => {
  const version = { code: 0, stdout: `${packageInfo.version}\n`, stderr: '' };
  expect(await runCli('--version')).toEqual(version);
  const help = await runCli('--help');
  expect(help.code).toBe(0);
  for (const option of ['--port', '--host', '--env', '4010']) expect(help.stdout).toContain(option);
});

test('reports a port that is in use with one sentence and exit code 2', async () => {
  await using mock = await createMock();
  expect(await finish(spawnCli('--port', String(mock.port)))).toEqual({
    code: 2,
    stdout: '',
    stderr: `Port ${mock.port} is already in use: stop the other program, or choose another port with --port.\n`,
  });
});

describe('invalid options', async () => {
  const none = join(dir, 'none');
  const gone = 'no such file or folder';

  test.each([
    [['--services', none], `${none}: Cannot read the services: ${gone}.`],
    [['--wire-profile', none], `${none} is not a wire profile: it cannot be read: ${gone}.`],
    [['--wire-profile', dir], `${dir} is not a wire profile: it cannot be read: it is a folder.`],
  ])('%j is one sentence that explains the fix, with exit code 2', async (args, sentence) => {
    expect(await runCli('--port', '0', ...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${sentence}\n`,
    });
  });

  const empty = ['--services', '--wire-profile'].map((option): [string[], string] => [
    [option, ''],
    "argument '' is invalid. It must not be empty.",
  ]);

  test.each<[string[], string | RegExp]>([
    ...empty,
    [['--port', 'x'], 'integer from 0 to 65535'],
    [['--port', '65536'], 'integer from 0 to 65535'],
    [['--host', ''], 'address of this machine'],
    [
      ['--host', '192.0.2.1', '--port', '0'],
      /^192\.0\.2\.1 is not an address of this machine: .*\n$/,
    ],
    [['--env', 'a.b'], 'a single host name label'],
    [['--prot', '1'], 'Did you mean --port?'],
    [['--auth', 'x'], 'Allowed choices are present, strict'],
    [['--origins', 'app.example.com'], 'origins must be origins such as https://app.example.com'],
    [['--fault', 'latency=x'], 'latency must be a number of milliseconds'],
    [['--fault', 'batchDelet:reset'], 'Do you mean batchDelete?'],
    [['extra.yaml', 'extra'], 'too many arguments'],
  ])('rejects %j with exit code 2', async (args, sentence) => {
    const { code, stdout, stderr } = await runCli(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(sentence);
  });
});

/** Runs the printed commands, as a shell does if they are pasted. */
async function expectSuccess(printed: string): Promise<void> {
  const script = printed.slice(printed.indexOf('# Call'), printed.indexOf('\nready'));
  const { stdout, stderr } = await run('sh', ['-ec', script]);
  expect(stderr).toBe('');
  expect(stdout).toContain('{"message":"Hello from the hosted service."}');
  expect(stdout).toContain('{\\"name\\":\\"Ada\\"}');
  expect(stdout).toMatch(/^HTTP\/1.1 204 /m);
  expect(stdout).toContain('"statusCode":200');
  expect(stdout).toMatch(/"tempFileURL":"http:\/\/[^"]+"/);
}
