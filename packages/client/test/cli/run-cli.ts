import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMock, type Mock, type MockCredentials, type MockOptions } from '@berth/mock';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import packageInfo from '../../package.json' with { type: 'json' };
import { run } from '../../src/cli/run.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

type Env = Readonly<Record<string, string>>;

type Result = Readonly<{ code: number; stdout: string; stderr: string }>;

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

  const toSettings = (others: Env): Env => ({
    BERTH_ENV: 'dev',
    BERTH_STORAGE_URL: mock.storageUrl,
    BERTH_GATEWAY_URL: mock.gatewayUrl,
    BERTH_TC3_SECRET_ID: keys.id,
    BERTH_TC3_SECRET_KEY: keys.secret,
    ...others,
  });

  const check = (result: Result): Result => {
    expect(result.stdout + result.stderr).not.toContain(keys.secret);
    return result;
  };

  /** Starts the command from source, with the settings of the mock and others. */
  function start(args: readonly string[], env: Env = {}) {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const running = promisify(execFile)(
      process.execPath,
      ['--conditions=berth-source', CLI, ...args],
      { cwd: tmpdir(), env: { PATH, NODE_COMPILE_CACHE, ...toSettings(env) } },
    );
    const result = running
      .catch((error) => error)
      .then(({ code = 0, stdout, stderr }: Result) => check({ code, stdout, stderr }));
    return { child: running.child, result };
  }

  /** Runs the command in this process, which is much faster than in another one. */
  async function berth(args: readonly string[], env: Env = {}): Promise<Result> {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        texts[name] += Buffer.from(text as string);
        return true;
      });
    }
    // Signals are for commands in processes of their own.
    vi.spyOn(process, 'once').mockReturnValue(process);
    for (const [name, value] of Object.entries(toSettings(env))) vi.stubEnv(name, value);
    const cwd = process.cwd();
    process.chdir(tmpdir());
    try {
      await run(['node', 'berth', ...args], packageInfo.version);
      return check({ code: Number(process.exitCode ?? 0), ...texts });
    } finally {
      process.exitCode = undefined;
      process.chdir(cwd);
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  }

  return { start, berth, session: () => mock.session(), token: () => keys.token };
}
