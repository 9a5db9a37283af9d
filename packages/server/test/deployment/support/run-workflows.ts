import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import spec from '@berth/spec/package.json' with { type: 'json' };
import type { Deployment } from './start-deployment.ts';

const { resolve } = createRequire(import.meta.url);
const CLI = join(dirname(resolve('@redocly/cli/package.json')), 'bin/cli.js');
const WORKFLOWS = Object.keys(spec.exports).filter((name) => name.endsWith('.arazzo.yaml'));

interface Executed {
  readonly workflowId: string;
  readonly status: string;
}

/** Runs all workflows of the contract with Redocly Respect; what became of each, by its id. */
export async function runWorkflows({
  url,
  token,
  credentials,
}: Deployment): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-workflows-'));
  const report = join(folder, 'report.json');
  const documents = WORKFLOWS.map((name) => resolve(join('@berth/spec', name)));
  const servers = ['gateway', 'storage'].flatMap((name) => ['--server', `${name}=${url}`]);
  const input = JSON.stringify({ ...credentials(), token });
  const options = [...servers, '--input', input, '--json-output', report];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(process.execPath, [CLI, 'respect', ...documents, ...options], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  // A workflow that fails is exit code 1; the report says which.
  await run.catch((error) => error.code === 1 || Promise.reject(error));
  const { files } = JSON.parse(await readFile(report, 'utf8'));
  await rm(folder, { recursive: true });
  const executed = Object.values<{ executedWorkflows: Executed[] }>(files).flatMap(
    ({ executedWorkflows }) => executedWorkflows,
  );
  return Object.fromEntries(executed.map(({ workflowId, status }) => [workflowId, status]));
}
