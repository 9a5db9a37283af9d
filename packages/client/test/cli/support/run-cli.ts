import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMock, type Mock } from '@berth/mock';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { run } from '../../../src/cli/run.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

export const SECRET = 'a-secret-that-nothing-may-show';

type Variables = Readonly<Record<string, string>>;

/** Starts a mock for the tests in a file, and returns the variables that point to it. */
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

/** Creates a folder for one test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts the CLI from source, with only the given variables. */
export function startCli(
  args: readonly string[],
  variables: Variables,
  cwd = tmpdir(),
): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return spawn(process.execPath, ['--conditions=berth-source', CLI, ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...variables },
  });
}

/** Runs the CLI to its end in this process, because a separate one would take a third of a second longer. */
export async function runCli(
  args: readonly string[],
  variables: Variables,
  { cwd = tmpdir(), input = '' }: { cwd?: string; input?: string } = {},
) {
  const home = process.cwd();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdout, stderr, stdin: Readable.from([input]) };
  for (const [name, stream] of Object.entries(streams)) {
    vi.spyOn(process, name as 'stdout', 'get').mockReturnValue(stream as never);
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  process.chdir(cwd);
  try {
    const printed = Promise.all([text(stdout), text(stderr)]);
    await run([process.execPath, CLI, ...args], '0.0.0');
    stdout.end();
    stderr.end();
    const [out, err] = await printed;
    return { code: process.exitCode ?? 0, stdout: out, stderr: err };
  } finally {
    process.exitCode = undefined;
    process.chdir(home);
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}
