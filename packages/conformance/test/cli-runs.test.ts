import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCorrectServer } from './support/correct-server.ts';
import { run, runAgainst } from './support/run.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startSecond } from './targets/start-second.ts';

const ONLY = ['--only', 'GW-ERROR'];

test('a correct deployment gets a line for each result, and a summary', async () => {
  await using target = await startSecond();
  const { code, lines } = await run(...target.args, ...ONLY, '--seed', '5');
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatch(
    /^[1-9]\d* pass, 0 fail, 0 skip, \d+ disabled, 0 error: follows the contract, as far as it was checked · seed 5 · \d+\.\d s$/,
  );
  expect(lines).toContain('pass     GW-ERROR-NOT-FOUND');
  expect(lines.at(-2)).toMatch(/^disabled \(not in --only\): \d+$/);
});

/** Responds with 410 for a missing service, which violates GW-ERROR-NOT-FOUND. */
const startBroken = () =>
  startCorrectServer((draft) => (draft.status === 404 ? { ...draft, status: 410 } : draft));
const NOT_FOUND = ['--only', 'GW-ERROR-NOT-FOUND'];

test('a violation exits with 1, and shows its evidence and the commands that repeat it', async () => {
  await using server = await startBroken();
  const args = [...NOT_FOUND, '--seed', '7', '--gateway-token', 'secret'];
  const { code, output, lines } = await runAgainst(server.url, ...args);
  expect(code).toBe(1);
  expect(output).toMatch(/^fail {5}GW-ERROR-NOT-FOUND$/m);
  expect(output).toMatch(/^ +contract .*SERVICE_NOT_FOUND/m);
  expect(output).toMatch(/^ +sent +GET http/m);
  expect(output).toMatch(/^ +came +410 application\/json/m);
  expect(output).toMatch(/^ +repeat +curl -i/m);
  expect(output).toMatch(/: breaks the contract · seed/);
  const [title, id, command] = lines.slice(-4, -1);
  expect(title).toBe('failed checks, each with a command that runs it again:');
  expect(id).toBe('  GW-ERROR-NOT-FOUND');
  expect(command).toMatch(
    /^ {4}berth-conformance --gateway-url \S+ .*--only GW-ERROR-NOT-FOUND --seed 7$/,
  );
  expect(command).toContain('--gateway-token "$BERTH_GATEWAY_TOKEN"');
});

test('a failed SHOULD is reported, but does not change the exit code', async () => {
  await using target = await startSecond();
  const args = ['--level', 'should', '--only', 'GW-ERROR,ST-ENVELOPE'];
  const { code, output, lines } = await run(...target.args, ...args);
  expect(code).toBe(0);
  expect(output).toMatch(/^fail {5}\S+ \(SHOULD\)$/m);
  expect(lines.at(-1)).toContain('follows the contract, but not every SHOULD');
});

test('a known failure does not fail the run, but a stale or expired entry does', async () => {
  await using server = await startBroken();
  await using sound = await startCorrectServer();
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'baseline.txt');
  await writeFile(file, '# known since spring\nGW-ERROR-NOT-FOUND # ticket 7\n');
  const known = await runAgainst(server.url, ...NOT_FOUND, '--baseline', file);
  expect(known.code).toBe(0);
  expect(known.lines.slice(-2)[0]).toBe('known failures: GW-ERROR-NOT-FOUND (ticket 7)');
  await writeFile(file, '["GW-ERROR-NOT-FOUND"]');
  const stale = await runAgainst(sound.url, ...NOT_FOUND, '--baseline', file);
  expect(stale.code).toBe(1);
  expect(stale.output).toMatch(/^stale baseline entries \(.*\): GW-ERROR-NOT-FOUND$/m);
  expect(stale.lines.at(-1)).toContain('the baseline is stale');
  await writeFile(file, 'GW-ERROR-NOT-FOUND until 2026-01-31 # ticket 7\n');
  const expired = await runAgainst(server.url, ...NOT_FOUND, '--baseline', file);
  expect(expired.code).toBe(1);
  expect(expired.lines).toContain('expired baseline entries: GW-ERROR-NOT-FOUND (ticket 7)');
});

test('--json prints the JSON report instead of text', async () => {
  await using server = await startBroken();
  const { code, lines } = await runAgainst(server.url, ...NOT_FOUND, '--json');
  expect(code).toBe(1);
  const [json = '', ...rest] = lines.filter((line) => !line.startsWith('berth-conformance: '));
  expect(rest).toEqual([]);
  expect(JSON.parse(json)).toMatchObject({
    reportFormat: 'CTRF',
    extra: { berth: { exitCode: 1 } },
  });
});

test('all reports are written, and no other files', async () => {
  await using target = await startSecond();
  await using folder = await makeTemporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const reports = `json=${at('r.json')},junit=${at('r.xml')}`;
  await run(...target.args, ...ONLY, '--report', reports, '--report', `html=${at('r.html')}`);
  expect((await readdir(folder.path)).sort()).toEqual(['r.html', 'r.json', 'r.xml']);
  expect(JSON.parse(await readFile(at('r.json'), 'utf8'))).toMatchObject({ reportFormat: 'CTRF' });
});

test('a report that cannot be written is reported before anything is called', async () => {
  await using server = await startCorrectServer();
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, 'folder'));
  for (const file of ['missing/r.json', 'folder']) {
    const path = join(folder.path, file);
    const { code, lines } = await runAgainst(server.url, '--report', `json=${path}`);
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringContaining(`--report json=${path} cannot be written`)]);
  }
  expect(server.requests).toEqual([]);
});
