import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startBroken } from './targets/start-second.ts';

const file = fileURLToPath(new URL('../action.yml', import.meta.url));
const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

/** Runs the script of the action as a runner does, with the suite of this repository for the one of npm. */
async function runAction(
  folder: string,
  steps: Step[],
  inputs: Record<string, string>,
  secrets: Record<string, string>,
) {
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
      ...secrets,
      BERTH_ONLY: 'GW-ERROR-NOT-FOUND',
    },
  }).then(
    () => ({ code: 0 }),
    (error: { code: number }) => error,
  );
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { code, output: await read('output'), summary: await read('summary') };
}

test('the GitHub Action runs the suite, writes every report, and ends with its exit code', async () => {
  const { steps }: { steps: Step[] } = parse(await readFile(file, 'utf8')).runs;
  const used = steps.flatMap(({ uses }) => uses ?? []);
  expect(used).not.toEqual([]);
  for (const name of used) expect(name).toMatch(/@[\da-f]{40}$/);
  await using target = await startBroken();
  const { gatewayToken: token, gatewayHost } = target.options;
  await using folder = await makeTemporaryFolder();
  const { code, output, summary } = await runAction(
    folder.path,
    steps,
    {
      'gateway-url': target.gateway.url,
      report: 'conformance',
    },
    { BERTH_GATEWAY_TOKEN: token, BERTH_GATEWAY_HOST: gatewayHost },
  );
  expect(code).toBe(1);
  expect(output).toBe('exit-code=1\n');
  expect(summary).toContain('breaks the contract');
  expect((await readdir(join(folder.path, 'conformance'))).toSorted()).toEqual([
    ...['index.html', 'junit.xml', 'output.txt', 'report.json'],
  ]);
  expect(summary).not.toContain(token);
});
