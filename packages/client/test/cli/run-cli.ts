import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMock, type Mock, type MockCredentials, type MockOptions } from '@berth/mock';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** Settings to change. */
type Env = Readonly<Record<string, string>>;

/** Starts a mock that checks credentials, and returns how to run the command on it. */
export function cliForTests(options: MockOptions = {}) {
  let mock: Mock;
  let keys: MockCredentials;
  beforeAll(async () => {
    mock = await createMock({ credentials: 'strict', ...options });
    keys = await mock.credentials();
  });
  beforeEach(() => mock.session().reset());
  afterAll(() => mock.close());

  /** Starts the command from source, with the settings of the mock. */
  function start(args: readonly string[], env: Env = {}) {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const settings = {
      BERTH_ENV: 'dev',
      BERTH_STORAGE_URL: mock.storageUrl,
      BERTH_GATEWAY_URL: mock.gatewayUrl,
      BERTH_TC3_SECRET_ID: keys.id,
      BERTH_TC3_SECRET_KEY: keys.secret,
    };
    return spawn(process.execPath, ['--conditions=berth-source', CLI, ...args], {
      cwd: tmpdir(),
      env: { PATH, NODE_COMPILE_CACHE, ...settings, ...env },
    });
  }

  /** Runs the command to its end. */
  async function berth(args: readonly string[], { env }: { env?: Env } = {}) {
    const result = await outputOf(start(args, env));
    expect(result.stdout + result.stderr).not.toContain(keys.secret);
    return result;
  }

  return { start, berth, session: () => mock.session(), token: () => keys.token };
}

/** Reads what a process prints until it ends. */
export async function outputOf(child: ChildProcessWithoutNullStreams) {
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout, stderr] = await outputs;
  return { code, stdout, stderr };
}

/** Creates a folder with files, for one test. */
export async function newFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}
