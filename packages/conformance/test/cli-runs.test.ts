import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutput } from '../src/run-cli.ts';
import { run } from './run-suite.ts';
import { startBroken, startSecond } from './targets/start-second.ts';

let sound: Awaited<ReturnType<typeof startSecond>>;
let broken: Awaited<ReturnType<typeof startBroken>>;
beforeAll(async () => {
  sound = await startSecond();
  broken = await startBroken();
});
afterAll(async () => {
  await sound.close();
  await broken[Symbol.asyncDispose]();
});

const ID = 'GW-ERROR-NOT-FOUND';
const NOT_FOUND = ['--only', ID];

test('a run against a correct deployment exits with 0, prints a verdict and writes every report', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const at = (name: string) => join(folder.path, 'new', name);
  const both = `json=${at('r.json')},junit=${at('r.xml')}`;
  const reports = ['--report', both, '--report', `html=${at('r.html')}`];
  const { code, lines } = await run(...sound.args, ...NOT_FOUND, ...reports);
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^1 of \d+ rules passed$/),
    expect.stringMatching(/^\d+ rules, .*, 9 workflows disabled \(optional\): not in --only$/),
    expect.stringMatching(/^seed \d+, \d+ calls, \d+\.\d s$/),
    '',
    expect.stringMatching(/^follows what was checked: 1 of \d+ rules$/),
  ]);
  expect(await readdir(at(''))).toEqual(['r.html', 'r.json', 'r.xml']);
});

test('a violation exits with 1, and shows its evidence and the command that repeats it', async () => {
  const { code, output } = await run(...broken.args, ...NOT_FOUND, '--verbose');
  expect(code).toBe(1);
  expect(output).toMatch(/^disabled {2}GW-C1: not in --only$/m);
  expect(output).toMatch(/^fail {6}GW-ERROR-NOT-FOUND\n {10}contract .*SERVICE_NOT_FOUND/m);
  expect(output).toMatch(/^ +found .*the status must be 404, not 410$/m);
  expect(output).toMatch(/^ +request +GET http/m);
  expect(output).toMatch(/^ +response +410$/m);
  const repeat = /^ +repeat +(curl -q -i |npx @berth\/conformance --only GW-ERROR-NOT-FOUND)/m;
  expect(output).toMatch(repeat);
  expect(output).toMatch(/^breaks the contract: 1 rule failed, 1 of \d+ rules checked$/m);
  const { lines } = await run(...broken.args, ...NOT_FOUND, '--quiet');
  expect(lines).toEqual([expect.stringMatching(/^breaks the contract: /)]);
});

test('on a terminal, a notice replaces the progress', () => {
  const stream = new PassThrough();
  const terminal: object = Object.assign(stream, { isTTY: true });
  const output = createOutput({ stdout: terminal, stderr: terminal } as typeof process);
  output.progress('1 checked, 0 failed');
  output.error('a notice');
  const lines = String(stream.read()).split('\n');
  expect(lines.map((line) => line.split('\r\x1b[K').at(-1))).toEqual(['a notice', '']);
});

test('a failed SHOULD is reported, but does not change the exit code', async () => {
  const { code, output } = await run(...sound.args, '--only', 'ST-PRESENT');
  expect(code).toBe(0);
  expect(output).toMatch(/^fail {6}\S+ \(SHOULD\)$/m);
  expect(output).toMatch(/^follows what was checked: .*, 1 SHOULD rule not met$/m);
});

test.each([
  ['broken', `# since spring\n${ID} # ticket 7\n`, 0, /^Known failures\n {2}\S+: ticket 7$/m],
  ['broken', `${ID} until 2026-01-31 # ticket 7`, 1, /no longer accepted\n {2}\S+-FOUND$/m],
  ['sound', ID, 1, /^the list of known failures is outdated: /m],
  ['sound', `${ID} until 9999-12-31 flaky # sometimes`, 0, /^follows what was checked: /m],
])('--known on a %s deployment: %j', async (kind, content, exitCode, line) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const file = join(folder.path, 'known.txt');
  await writeFile(file, content);
  const { args } = kind === 'sound' ? sound : broken;
  const { code, output } = await run(...args, ...NOT_FOUND, '--known', file);
  expect(output).toMatch(line);
  expect(code).toBe(exitCode);
});

test('a report that cannot be written hides neither the results nor the others', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const file = join(folder.path, 'r.xml');
  const below = join(file, 'x.html');
  const reports = `html=${folder.path},junit=${file},html=${below},html=${below}/y.html`;
  for (const [{ args }, exitCode] of [[sound, 2] as const, [broken, 1] as const]) {
    const { code, lines } = await run(...args, ...NOT_FOUND, '--report', reports);
    expect([code, lines[0]]).toEqual([exitCode, expect.stringMatching(/^1 of|^fail {6}GW/)]);
    expect(lines.slice(-3)).toEqual([
      `error: --report ${folder.path} is a folder; name a file.`,
      `error: --report ${below} is below a file; check the path.`,
      `error: --report ${below}/y.html is below a file; check the path.`,
    ]);
    expect(await readdir(folder.path)).toEqual(['r.xml']);
  }
});

test.each<[only: string, output: RegExp]>([
  ['GW-C1', /^GW-C1 \(MUST\)\n {2}Unless GW-C3 .*\n1 of \d+ rules, 0 of \d+ transactions, 0 of/],
  ['GW-C2/2', /^GW-C2 .*\n.*\n {2}GW-C2\/2: .*\n1 of /],
  ['storage', /^ST-COPY-CALL \(MUST\).*^storage getUpload.*^copy-file /ms],
  // Not GW-SSE-UNBUFFERED.
  ['GW-SSE', /^GW-SSE .*\n.*\n1 of /],
  [
    'copy-,storage batchCopyFile 200',
    /^storage batchCopyFile 200 .* \(dredd\)\n.*\ncopy-file \(respect\)\n.*\ncopy-wi.*\n.*\n0 .*, 1 .*, 2 of 9/,
  ],
])('--list --only %s shows what is selected', async (only, expected) => {
  const { code, output } = await run('--list', '--only', only);
  expect(code).toBe(0);
  expect(output).toMatch(expected);
});
