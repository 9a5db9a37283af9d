import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startSecond } from './targets/start-second.ts';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

test('the built command runs under plain node, and prints only its results', async () => {
  await using target = await startSecond();
  const args = [cli, ...target.args, '--only', 'GW-ERROR-NOT-FOUND,respect', '--verbose'];
  const run = promisify(execFile)(process.execPath, args);
  const { stdout, stderr } = await run;
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^follows what was checked: \d+ of \d+ rules$/m);
  for (const id of ['GW-ERROR-NOT-FOUND', 'copy-file']) {
    expect(stdout).toContain(`pass      ${id}\n`);
  }
});

test('Ctrl-C ends a run, which still cleans up and reports', async () => {
  await using target = await startSecond();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const file = join(folder.path, 'r.json');
  const args = ['--only', 'UP-,ST-', '--concurrency', '2', '--report', `json=${file}`, '--verbose'];
  const child = spawn(process.execPath, [cli, ...target.args, ...args]);
  let shown = '';
  child.stderr.on('data', (text) => {
    shown += text;
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('checked   ST-META')) child.kill('SIGINT');
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(2);
  expect(shown).toContain('Stopping, and removing stored files');
  const { berth } = JSON.parse(await readFile(file, 'utf8')).extra;
  expect(berth.summary.skip).toBeGreaterThan(0);
  expect(berth.leftovers).toEqual([]);
});

test('a closed stdout does not end the run', async () => {
  await using target = await startSecond();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const file = join(folder.path, 'r.json');
  const args = [...target.args, '--only', 'GW-ERROR', '--report', `json=${file}`];
  const child = spawn(process.execPath, [cli, ...args]);
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ reportFormat: 'CTRF' });
});
