import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatedRow } from '../src/compare.ts';
import { suites } from '../src/suites.ts';
import { checkedByTests, toPage } from '../src/to-page.ts';

const CLI = join(import.meta.dirname, '../src/cli.ts');
const ROOT = join(import.meta.dirname, '../../..');
const LONG_AGO = '2001-01-01T00:00:00.000Z';
const figures = suites.flatMap((suite) => suite.figures);
const old: DatedRow[] = figures.map((figure) => ({
  ...figure,
  ours: 3000,
  peer: 2000,
  runs: 5,
  ratio: 1.5,
  holds: figure.goal.startsWith('>='),
  date: LONG_AGO,
  machine: 'A processor, 2 cores',
  peerVersion: '1.2.3',
}));
const isSize = ({ suite }: DatedRow) => suite === 'sizes';
const order = suites.map(({ name }) => name);

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-bench-cli-'));
  file = join(folder, 'rows.json');
});
afterEach(() => rm(folder, { recursive: true }));

function bench(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 300_000,
  });
  return { status, stdout, stderr };
}

async function readRows(): Promise<DatedRow[]> {
  return JSON.parse(await readFile(file, 'utf8'));
}

describe('--json', () => {
  it('keeps the rows of the suites that were not run, and their order', async () => {
    await writeFile(file, JSON.stringify(old.toReversed()));
    expect(bench('sizes', '--json', file)).toMatchObject({ status: 0 });
    const rows = await readRows();
    expect(rows.filter((row) => !isSize(row))).toEqual(
      order.flatMap((name) =>
        old.toReversed().filter(({ suite }) => suite === name && name !== 'sizes'),
      ),
    );
    const sizes = rows.filter(isSize);
    expect(sizes).toHaveLength(old.filter(isSize).length);
    for (const { date } of sizes) expect(date).not.toBe(LONG_AGO);
    expect([...new Set(rows.map(({ suite }) => suite))]).toEqual(order);
  });

  it('makes a new file, and its folder', async () => {
    file = join(folder, 'a/b/rows.json');
    expect(bench('sizes', '--json', file)).toMatchObject({ status: 0 });
    expect((await readRows()).every(isSize)).toBe(true);
  });

  it('copies the rows of other suites from another file', async () => {
    const from = join(folder, 'from.json');
    await writeFile(from, JSON.stringify(old.map((row) => ({ ...row, ours: 1 }))));
    await writeFile(file, JSON.stringify(old));
    expect(bench('sizes', '--from', from, '--json', file)).toMatchObject({ status: 0 });
    expect(await readRows()).toEqual(old.map((row) => (isSize(row) ? { ...row, ours: 1 } : row)));
  });

  it('keeps the rows of a suite that failed', async () => {
    await writeFile(file, JSON.stringify(old));
    // The generator cannot create its folder.
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'generator', '--json', file], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: join(folder, 'gone') },
    });
    expect(stderr).toContain('generator failed: ');
    expect(status).toBe(1);
    expect(await readRows()).toEqual(old);
  });
});

describe('the page', () => {
  it('has one row for each figure, with its peer, its ratio and its goal', () => {
    const page = toPage(figures, old);
    const lines = page.split('\n').filter((line) => line.includes('| 1.50 |'));
    expect(lines).toHaveLength(figures.length);
    expect(lines).toContain(
      '| gateway | small JSON response, requests/CPU s | 3,000 | 2,000 | undici.stream 1.2.3 | 5 | 1.50 | >= 0.8 | yes |',
    );
    expect(lines).toContain(
      '| gateway | small JSON response, requests/CPU s | 3,000 | 2,000 | nginx 1.2.3 | 5 | 1.50 | – | – |',
    );
    expect(page).toContain('2001-01-01, on A processor, 2 cores: ');
  });

  it('shows missed goals and missing figures', () => {
    const page = toPage(
      figures,
      old.filter(({ peerName }) => peerName !== 'nginx'),
    );
    expect(page).toMatch(/\d+ goals met, [1-9]\d* missed, \d+ without a goal, 1 not/);
    expect(page).toContain('| nginx | 0 |  | – | not measured |');
    expect(page).toContain('| <= 1 | NO |');
  });

  it('has a unique name for every figure', () => {
    const keys = figures.map(({ suite, measure, peerName }) => `${suite}|${measure}|${peerName}`);
    expect(new Set(keys).size).toBe(figures.length);
  });

  it('links existing files that the site can show', () => {
    const isFile = (file: string) =>
      statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile();
    for (const { file } of checkedByTests) expect(isFile(file), file).toBe(true);
  });

  it('is written from the JSON of an earlier run', async () => {
    const page = join(folder, 'performance.md');
    await writeFile(file, JSON.stringify(old));
    const { stdout } = bench('--from', file, '--page', page);
    expect(await readFile(page, 'utf8')).toBe(toPage(figures, old));
    expect(stdout.split('\n').filter((line) => line.includes('| 1.50 |'))).toHaveLength(old.length);
  });
});

describe('what cannot be', () => {
  it.each([
    [['nope'], 'unknown suite nope: choose from generator, stubs, '],
    [['sizes', '--json', ''], 'must not be empty'],
    [['sizes', '--json', 'folder'], '--json folder cannot be read: EISDIR'],
    [['sizes', '--json', 'file/rows.json'], '--json file/rows.json cannot be written: E'],
    [['--page', 'folder'], '--page folder cannot be written: EISDIR'],
    [['--from', 'gone.json'], '--from gone.json cannot be read: ENOENT'],
    [['--from', 'file'], '--from file cannot be read: Unexpected end of JSON input'],
    [['sizes', '--json', 'foreign.json'], '--json foreign.json cannot be read: it is not a list'],
    [['--from', 'rows.json', '--runs', '2'], "cannot be used with option '--from <file>'"],
    [['--json', 'rows.json', '--page', 'rows.json'], 'use another file for --page'],
    [['sizes', '--page', 'a.md'], 'run suites with --json FILE, then pass --from FILE'],
  ])('rejects %j before anything is measured', async (args, wanted) => {
    await mkdir(join(folder, 'folder'));
    await writeFile(join(folder, 'file'), '');
    await writeFile(join(folder, 'foreign.json'), '{}');
    await writeFile(file, JSON.stringify(old));
    const { status, stdout, stderr } = bench(...args);
    expect(stderr).toContain(wanted);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(await readRows()).toEqual(old);
  });
});

describe.runIf(process.platform === 'linux')('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the servers, and then the bench with %d', async (signal, code) => {
    const child = spawn(process.execPath, [CLI, 'stubs', '--json', file], { cwd: folder });
    const ended = once(child, 'exit');
    const closed = once(child, 'close');
    let text = '';
    child.stderr.on('data', (bytes) => {
      text += bytes;
    });
    await expect.poll(() => childrenOf(child.pid)).not.toEqual([]);
    const servers = childrenOf(child.pid);
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    expect(servers.filter(isThere)).toEqual([]);
    await closed;
    expect(text).toMatch(/^stubs: .*\n$/);
  });

  it('leaves no files behind', async () => {
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [CLI, 'files'], { env, stdio: 'ignore' });
    const ended = once(child, 'close');
    await expect.poll(() => readdir(folder)).not.toEqual([]);
    child.kill();
    await ended;
    expect(await readdir(folder)).toEqual([]);
  });
});

/** IDs of the child processes of a process. */
function childrenOf(pid: number | undefined): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
