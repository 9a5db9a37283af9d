import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startBroken } from './targets/start-second.ts';

const file = fileURLToPath(new URL('../action.yml', import.meta.url));
const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

/** Stands for npx: runs the suite of this repository instead of the one on npm. */
const NPX = `#!/bin/sh
while [ "$1" != berth-conformance ]; do shift; done; shift
exec "${process.execPath}" --conditions=berth-source "${cli}" "$@"
`;

test('the GitHub Action writes every report and a summary, and ends with the exit code of the suite', async () => {
  const [setup, { run }] = parse(await readFile(file, 'utf8')).runs.steps;
  expect(setup.uses).toMatch(/@[\da-f]{40}$/);
  await using target = await startBroken();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const { path } = folder;
  await writeFile(join(path, 'npx'), NPX);
  await chmod(join(path, 'npx'), 0o755);
  const env = {
    PATH: `${path}:${process.env.PATH}`,
    VERSION: 'latest',
    FOLDER: 'reports',
    GITHUB_STEP_SUMMARY: join(path, 'summary'),
    BERTH_GATEWAY_URL: target.gateway.url,
    BERTH_GATEWAY_HOST: target.options.gatewayHost,
    BERTH_GATEWAY_TOKEN: target.options.gatewayToken,
    BERTH_ONLY: 'GW-ERROR-NOT-FOUND',
  };
  // As a runner does.
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
  const running = promisify(execFile)('bash', args, { cwd: path, env });
  await expect(running).rejects.toMatchObject({ code: 1 });
  const summary = await readFile(env.GITHUB_STEP_SUMMARY, 'utf8');
  expect(summary).toMatch(/^(`{20})\n.*^breaks the contract: .*^\1\n$/ms);
  expect(summary).not.toContain(env.BERTH_GATEWAY_TOKEN);
  expect(await readdir(join(path, 'reports'))).toEqual(['index.html', 'junit.xml', 'report.json']);
});
