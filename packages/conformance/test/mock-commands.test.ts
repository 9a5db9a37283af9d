// The three commands that the README of the mock and the guide print: fixture, mock, suite.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';
import { run } from './run-suite.ts';

const MOCK = fileURLToPath(new URL('../../mock/src/cli.ts', import.meta.url));

test('a strict mock prints the command that checks it', async () => {
  const fixture = await startFixture({ port: 0 });
  const printed = await startMock('--services', `conformance=${fixture.url}`);
  onTestFinished(() => fixture.close());
  const [, command = ''] = /^npx @berth\/conformance (.+?)\n\n/ms.exec(printed) ?? [];
  const args = command.split(/[\s\\]+/).filter(Boolean);
  // The run of all rules is in `sound.test.ts`.
  const { code, output } = await run(...args, '--only', 'GW-STATUS,AU-,ST-META,UP-FORM');
  expect([code, output]).toEqual([0, expect.stringContaining('follows')]);
});

/** Returns what a strict mock prints until it is ready. It ends with the test. */
async function startMock(...options: string[]): Promise<string> {
  const args = ['--conditions=berth-source', MOCK, '--port', '0', '--credentials', 'strict'];
  const child = spawn(process.execPath, [...args, ...options]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let [printed, errors] = ['', ''];
  child.stderr.on('data', (text) => {
    errors += text;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      printed += text;
      if (printed.endsWith('\nready\n')) resolve();
    });
    child.on('close', () => reject(new Error(errors)));
  });
  return printed;
}
