import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const { resolve } = createRequire(import.meta.url);
const CLI = join(dirname(resolve('@redocly/cli/package.json')), 'bin/cli.js');
const INPUTS = { authorization: '1.0 any', timestamp: '1700000000', token: 'any' };

interface Executed {
  workflowId: string;
  status: string;
}

/** Runs workflows of the contract with Redocly Respect; what became of each, by its id. */
export async function runWorkflows(
  url: string,
  ...names: string[]
): Promise<Record<string, string>> {
  const file = join(await mkdtemp(join(tmpdir(), 'berth-workflows-')), 'report.json');
  const documents = names.map((name) => resolve(`@berth/spec/workflows/${name}.arazzo.yaml`));
  const servers = ['gateway', 'storage'].flatMap((name) => ['--server', `${name}=${url}`]);
  const options = [...servers, '--input', JSON.stringify(INPUTS), '--json-output', file];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(process.execPath, [CLI, 'respect', ...documents, ...options], {
    env,
  });
  // A workflow that fails is exit code 1; the report says which.
  await run.catch(({ code }) => code === 1 || Promise.reject(run));
  const { files } = JSON.parse(await readFile(file, 'utf8'));
  const executed = Object.values<{ executedWorkflows: Executed[] }>(files).flatMap(
    ({ executedWorkflows }) => executedWorkflows,
  );
  return Object.fromEntries(executed.map(({ workflowId, status }) => [workflowId, status]));
}
