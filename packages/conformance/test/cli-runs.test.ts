import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './support/run.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
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

const NOT_FOUND = ['--only', 'GW-ERROR-NOT-FOUND'];

test('a correct deployment gets a line for each result, a summary, and every report', async () => {
  await using folder = await makeTemporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const reports = ['--report', `json=${at('r.json')},junit=${at('r.xml')}`];
  const more = ['--seed', '5', ...reports, '--report', `html=${at('r.html')}`];
  const { code, lines } = await run(...sound.args, '--only', 'GW-ERROR', ...more);
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatch(
    /^[1-9]\d* pass, 0 fail, 0 skip, \d+ disabled, 0 error: follows the contract, as far as it was checked · seed 5 · \d+\.\d s$/,
  );
  expect(lines).toContain('pass     GW-ERROR-NOT-FOUND');
  expect(lines.at(-2)).toMatch(/^disabled \(not in --only\): \d+$/);
  expect((await readdir(folder.path)).sort()).toEqual(['r.html', 'r.json', 'r.xml']);
  expect(JSON.parse(await readFile(at('r.json'), 'utf8'))).toMatchObject({ reportFormat: 'CTRF' });
});

test('a violation exits with 1, and shows its evidence and the commands that repeat it', async () => {
  const { code, output, lines } = await run(...broken.args, ...NOT_FOUND, '--seed', '7');
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
    /^ {4}.*berth-conformance --gateway-url \S+ .*--only GW-ERROR-NOT-FOUND --seed 7$/,
  );
  expect(command).toContain('--gateway-token "$BERTH_GATEWAY_TOKEN"');
});

test('--json prints the JSON report instead of text', async () => {
  const { code, lines } = await run(...broken.args, ...NOT_FOUND, '--json');
  expect(code).toBe(1);
  const [json = '', ...rest] = lines.filter((line) => !line.startsWith('berth-conformance: '));
  expect(rest).toEqual([]);
  expect(JSON.parse(json)).toMatchObject({
    reportFormat: 'CTRF',
    extra: { berth: { exitCode: 1 } },
  });
});

test('a failed SHOULD is reported, but does not change the exit code', async () => {
  const { code, output, lines } = await run(...sound.args, '--only', 'ST-PRESENT,ST-META');
  expect(code).toBe(0);
  expect(output).toMatch(/^fail {5}\S+ \(SHOULD\)$/m);
  expect(lines.at(-1)).toContain('follows the contract, but not every SHOULD');
});

test('a known failure does not fail the run, but a stale or expired entry does', async () => {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'baseline.txt');
  const runWith = async ({ args }: { args: string[] }, content: string) => {
    await writeFile(file, content);
    return run(...args, ...NOT_FOUND, '--baseline', file);
  };
  const known = await runWith(broken, '# known since spring\nGW-ERROR-NOT-FOUND # ticket 7\n');
  expect(known.code).toBe(0);
  expect(known.lines.at(-2)).toBe('known failures: GW-ERROR-NOT-FOUND (ticket 7)');
  const stale = await runWith(sound, '["GW-ERROR-NOT-FOUND"]');
  expect(stale.code).toBe(1);
  expect(stale.output).toMatch(/^stale baseline entries \(.*\): GW-ERROR-NOT-FOUND$/m);
  const expired = await runWith(broken, 'GW-ERROR-NOT-FOUND until 2026-01-31 # ticket 7\n');
  expect(expired.code).toBe(1);
  expect(expired.lines).toContain('expired baseline entries: GW-ERROR-NOT-FOUND (ticket 7)');
});

test('a report that cannot be written is reported before anything is called', async () => {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, 'folder'));
  const before = broken.gateway.count();
  for (const file of ['missing/r.json', 'folder']) {
    const path = join(folder.path, file);
    const { code, lines } = await run(...broken.args, '--report', `json=${path}`);
    expect(code).toBe(2);
    expect(lines).toEqual([expect.stringContaining(`--report json=${path} cannot be written`)]);
  }
  expect(broken.gateway.count()).toBe(before);
});

test('--list shows the selected rules with their level, needs and statement', async () => {
  const { code, output, lines } = await run('--list', '--only', 'GW-C3,GW-C1', '--skip', 'GW-C3');
  expect(code).toBe(0);
  expect(output).toContain('GW-C1 (MUST, needs fixture)\n  If a hosted service responds to a GET');
  expect(lines.at(-1)).toBe('1 rules');
  const rules = JSON.parse((await run('--list', '--json')).output);
  expect(rules.length).toBeGreaterThan(80);
});
