import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientRules } from '../../src/contract/rules.ts';
import { runWithin } from '../support/run.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const env = process.env as Record<string, string>;

const run = (...args: string[]) => runWithin({ env }, 'client', ...args);

/** A driver that passes each line to a function, written in JavaScript. */
function toDriver(code: string): string[] {
  const program = `const print = (value) => console.log(JSON.stringify(value));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const task = JSON.parse(line); const { id } = task; ${code} });`;
  return ['--', process.execPath, '-e', program];
}

const ONE = ['--only', 'CL-PATH-ROOT'];

test('prints the rules for clients, and a deployment is not checked against them', async () => {
  const { code, lines } = await run('--list');
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe(`${clientRules.length} rules`);
  const { output } = await runWithin({}, '--list');
  expect(output).not.toContain('CL-PATH');
});

test.each([
  [[], 'The command that starts the driver is missing'],
  [['--only', 'GW-C', '--', 'node'], '--only: unknown rule GW-C'],
  [['--', 'no-such-program-here'], 'no-such-program-here cannot be used as a driver'],
  [[...ONE, '--', process.execPath, '-e', ''], 'it exited with code 0'],
  [['--timeout', '0', '--', 'node'], '--timeout must be a whole number'],
  [['--dry-run', '--', 'node'], 'Unknown option --dry-run.'],
])('refuses %j', async (args, message) => {
  const { code, output } = await run(...args);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('skips tasks that the driver does not support, which leaves the run incomplete', async () => {
  const { code, output } = await run(...ONE, ...toDriver('print({ id, unsupported: true });'));
  expect(output).toContain('SKIP     CL-PATH-ROOT: the driver does not support call');
  expect(code).toBe(3);
});

test.each([
  ["console.log('Hello')", 'the driver printed a line that is not JSON: Hello'],
  ['print({ id: 99, result: {} })', 'the id of the result must be 1'],
  ['print({ id })', 'a result must have a result object'],
  ['print({ id, result: {}, error: {} })', 'a result must have a result object'],
])('reports %s as an error of the driver', async (code, message) => {
  const { code: exitCode, output } = await run(...ONE, ...toDriver(code));
  expect(output).toContain(message);
  expect(exitCode).toBe(4);
});

test('fails a rule if the driver exits, hangs or floods stdout, and starts it again', async () => {
  // Each process fails in another way, except for the first task.
  const code = `
    if (id === 1) return print({ id, unsupported: true });
    if (id === 2) process.exit(7);
    if (id === 3) return;
    if (id === 4) return process.stdout.write('a'.repeat(5 * 1024 * 1024));
    print({ id, unsupported: true });`;
  const only = ['--only', 'CL-PATH-SLASHES,CL-PATH-UNICODE', '--timeout', '5000'];
  const { code: exitCode, output } = await run(...only, ...toDriver(code));
  expect(output).toContain('it exited with code 7');
  expect(output).toContain('it returned no result within 5000 ms');
  expect(output).toContain('it printed a line of more than 4194304 bytes');
  expect(exitCode).toBe(1);
});

test('ends the driver and the processes that it has started', async () => {
  const code = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    print({ id, error: { message: 'pid ' + child.pid } });`;
  const { output } = await run('--only', 'CL-PATH-SEGMENTS', ...toDriver(code));
  const pids = [...output.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) {
    // It takes a moment until its parent, the system, has collected it.
    await expect.poll(() => isRunning(pid)).toBe(false);
  }
});

test.each(['SIGTERM', 'SIGHUP'] as const)('a %s ends the driver as well', async (signal) => {
  const driver = "console.error('pid', process.pid); setInterval(() => {}, 1e6);";
  const program = `
    import { checkClient } from './src/clients/check-client.ts';
    import wireProfile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
    const command = [process.execPath, '-e', ${JSON.stringify(driver)}];
    await checkClient({ command, wireProfile, timeout: 300_000, env: process.env });`;
  const child = spawn(
    process.execPath,
    ['--conditions=berth-source', '--input-type=module', '-e', program],
    { cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'inherit', 'pipe'] },
  );
  const [text] = await once(child.stderr, 'data');
  const pid = Number(/pid (\d+)/.exec(text)?.[1]);
  child.stderr.destroy();
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

/** Returns whether a process exists and is not a zombie. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(stat) && stat !== '';
}

test('writes the reports of a check of a deployment', async () => {
  await using folder = await makeTemporaryFolder();
  const files = ['html', 'junit', 'json'].map((kind) => join(folder.path, kind));
  const reports = `html=${files[0]},junit=${files[1]},json=${files[2]}`;
  const driver = toDriver('print({ id, result: { body: null } });');
  const { code, lines } = await run(...ONE, '--report', reports, ...driver);
  expect(code).toBe(1);
  expect(lines.at(-1)).toContain('1 fail, 0 skip');
  expect(lines.at(-1)).not.toContain('seed');
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(texts[0]).toContain('The client breaks the contract');
  expect(texts[0]).not.toContain('Traceability');
  expect(texts[1]).toContain('<testsuite name="Clients"');
  expect(JSON.parse(texts[2] ?? '').extra.berth.targets).toMatchObject([{ api: 'client' }]);
});
