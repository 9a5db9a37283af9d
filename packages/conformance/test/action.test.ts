import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startCorrectServer } from './support/correct-server.ts';

const file = fileURLToPath(new URL('../action.yml', import.meta.url));
const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

/** Runs the script of the action as a runner does, with the suite of this repository for the one of npm. */
async function runAction(steps: Step[], inputs: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-action-'));
  await mkdir(join(folder, 'bin'));
  const npx = join(folder, 'bin/npx');
  const command = `while [ "$1" != berth-conformance ]; do shift; done; shift; exec "${process.execPath}" --conditions=berth-source "${cli}" "$@"`;
  await writeFile(npx, `#!/bin/sh\n${command}\n`);
  await chmod(npx, 0o755);
  const { run = '', env = {} } = steps.find((step) => step.run !== undefined) ?? {};
  const given = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input) => inputs[input] ?? ''),
  ]);
  const { code } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', run], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      ...Object.fromEntries(given),
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      BERTH_GATEWAY_TOKEN: 'token-of-a-secret',
      BERTH_STORAGE_HEADER: 'X-Svc-Authorization: signature-of-a-secret',
      BERTH_ONLY: 'dredd',
    },
  }).then(
    () => ({ code: 0 }),
    (error: { code: number }) => error,
  );
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { code, folder, output: await read('output'), summary: await read('summary') };
}

test('the GitHub Action runs the suite, writes every report, and ends with its exit code', async () => {
  const { steps }: { steps: Step[] } = parse(await readFile(file, 'utf8')).runs;
  const used = steps.flatMap(({ uses }) => uses ?? []);
  expect(used).not.toEqual([]);
  for (const name of used) expect(name).toMatch(/@[\da-f]{40}$/);
  await using server = await startCorrectServer((draft) =>
    draft.operation === 'batchDelete' ? { ...draft, body: '{}' } : draft,
  );
  const { code, folder, output, summary } = await runAction(steps, {
    'gateway-url': server.url,
    'storage-url': server.url,
    report: 'conformance',
  });
  expect(code).toBe(1);
  expect(output).toBe('exit-code=1\n');
  expect(summary).toContain('breaks the contract');
  expect((await readdir(join(folder, 'conformance'))).toSorted()).toEqual([
    ...['index.html', 'junit.xml', 'output.txt', 'report.json'],
  ]);
  expect(summary).not.toContain('token-of-a-secret');
});
