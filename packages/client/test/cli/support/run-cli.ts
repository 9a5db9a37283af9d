import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

export const SECRET = 'a-secret-that-nothing-may-show';

type Variables = Readonly<Record<string, string>>;

/** A mock for the tests of a file, and the variables that lead to it. */
export function mockForTests(): () => { mock: Mock; variables: Variables } {
  let mock: Mock;
  beforeAll(async () => {
    mock = await createMock({ env: 'dev' });
  });
  afterAll(() => mock.close());
  return () => ({
    mock,
    variables: {
      BERTH_ENV: 'dev',
      BERTH_STORAGE_URL: mock.storageUrl,
      BERTH_GATEWAY_URL: mock.gatewayUrl,
      BERTH_SECRET_ID: 'id',
      BERTH_SECRET_KEY: SECRET,
    },
  });
}

/** A folder that is there for one test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts the command line from its source, with these variables of ours and no file of the user's. */
export function startCli(
  args: readonly string[],
  variables: Variables,
  cwd = tmpdir(),
): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return spawn(process.execPath, ['--conditions=berth-source', CLI, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...variables },
  });
}

/** Runs it to its end. */
export async function runCli(
  args: readonly string[],
  variables: Variables,
  { cwd, input = '' }: { cwd?: string; input?: string } = {},
) {
  const child = startCli(args, variables, cwd);
  child.stdin?.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}
