import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMock, type Mock, type MockCredentials, type MockOptions } from '@berth/mock';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

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

  /** Starts the command from source, with the settings of the mock and others. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    const settings = {
      BERTH_ENV: 'dev',
      BERTH_STORAGE_URL: mock.storageUrl,
      BERTH_GATEWAY_URL: mock.gatewayUrl,
      BERTH_TC3_SECRET_ID: keys.id,
      BERTH_TC3_SECRET_KEY: keys.secret,
    };
    const run = promisify(execFile)(process.execPath, ['--conditions=berth-source', CLI, ...args], {
      cwd: tmpdir(),
      env: { PATH, NODE_COMPILE_CACHE, ...settings, ...env },
    });
    const result = run
      .catch((error) => error)
      .then(({ code = 0, stdout, stderr }: { code?: number; stdout: string; stderr: string }) => {
        expect(stdout + stderr).not.toContain(keys.secret);
        return { code, stdout, stderr };
      });
    return { child: run.child, result };
  }

  const berth = (...call: Parameters<typeof start>) => start(...call).result;
  return { start, berth, session: () => mock.session(), token: () => keys.token };
}
