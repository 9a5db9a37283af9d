import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES, hasNpmChromium } from '../engines.mjs';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPTS = ['engines.mjs', 'install-engines.mjs', 'process.mjs', 'totals.mjs'];
const ADVICE = 'Run "npm run engines" to install missing engines on Debian or Ubuntu.';

/** A checkout with only these scripts, on a machine with only these programs. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-engines-'));
  for (const name of SCRIPTS) cpSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name));
  const names = Object.values(ENGINES).flatMap(({ programs }) => programs.map(([name]) => name));
  for (const name of names) write(`all/${name}`, '');
  for (const name of names.filter((name) => name !== 'radosgw')) write(`no-ceph/${name}`, '');
  mkdirSync(join(folder, 'nothing'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string) {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function runCode(code: string, programs: string, mode = '') {
  const env = { PATH: join(folder, programs), BERTH_ENGINES: mode };
  const args = ['--input-type=module', '--eval', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const check = (programs: string, mode?: string) =>
  runCode("(await import('./scripts/engines.mjs')).checkEngines()", programs, mode);

describe('before the tests', () => {
  it('the output names missing engines, what is skipped and the command that installs them', () => {
    const { status, stdout } = check('nothing');
    expect(stdout).toContain('Go        missing, skips guide in Go\n');
    expect(stdout).toMatch(hasNpmChromium() ? /Chromium {2}from npm/ : /Chromium {2}missing/);
    expect(stdout).toContain(ADVICE);
    expect(status).toBe(0);
    const all = check('all').stdout;
    expect(all.match(/installed$/gm)).toHaveLength(Object.keys(ENGINES).length);
    expect(all).not.toContain(ADVICE);
  });

  it.each([
    ['accepts a machine with all engines', 'all', 0, /^$/],
    ['names missing engines', 'no-ceph', 2, /but missing: Ceph\. Run "npm run engines"/],
  ])('BERTH_ENGINES=required %s', (_, programs, code, printed) => {
    const { status, stderr } = check(programs, 'required');
    expect(status).toBe(code);
    expect(stderr).toMatch(printed);
  });

  it('BERTH_ENGINES=none hides the engines of the machine, and other values are rejected', () => {
    expect(check('all', 'none').stdout).not.toMatch(/installed$/m);
    expect(check('all', 'require')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'BERTH_ENGINES must be "none", "required" or unset, got "require".\n',
    });
  });
});

it('tasks get the missing engines, since their results depend on them', () => {
  const args = JSON.stringify(['-p', 'process.env.BERTH_MISSING_ENGINES']);
  const command = JSON.stringify(process.execPath);
  const code = `await (await import('./scripts/process.mjs')).run(${command}, ${args})`;
  expect(runCode(code, 'all')).toMatchObject({ stdout: '\n' });
  expect(runCode(code, 'no-ceph')).toMatchObject({ stdout: 'ceph\n' });
  expect(runCode(code, 'all', 'none').stdout).toMatch(/ceph python go nginx haproxy curl redis\n$/);
});

it('the totals show how many tests were skipped, why, and how to install the engine', () => {
  const skipped = (fullName: string) => ({ status: 'pending', fullName });
  const report = {
    ...{ numPassedTests: 1, numFailedTests: 0, numPendingTests: 3, numTodoTests: 0 },
    testResults: [
      {
        assertionResults: [
          { status: 'passed', fullName: 'one' },
          skipped('the store, on Ceph (skipped: Ceph is not installed) keeps'),
          skipped('the store, on Ceph (skipped: Ceph is not installed) deletes'),
          skipped('a page (skipped: npm has none for aix on ppc64) calls'),
        ],
      },
    ],
  };
  write('docs/package.json', '{}');
  write('packages/.keep', '');
  write('docs/.reports/vitest.json', JSON.stringify(report));
  const code = "(await import('./scripts/totals.mjs')).printTotals()";
  expect(
    runCode(code, 'nothing').stdout,
  ).toBe(`docs                     1 passed, 0 failed, 3 skipped
All tests                1 passed, 0 failed, 3 skipped
*** 2 skipped: Ceph is not installed
*** 1 skipped: npm has none for aix on ppc64
*** ${ADVICE}
`);
  report.testResults[0]?.assertionResults.splice(1, 2);
  write('docs/.reports/vitest.json', JSON.stringify(report));
  expect(runCode(code, 'nothing').stdout).not.toContain(ADVICE);
});

it.runIf(process.platform === 'linux')(
  'installs missing engines as root or with sudo, and exits with 1 if one is not available',
  () => {
    // Only Go has no package.
    const apt = 'echo "$@" >> apt-calls\ncase "$*" in *golang*) exit 100;; esac';
    write('apt/apt-get', `#!/bin/sh\n${apt}\n`);
    write('apt/sudo', '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n');
    for (const name of ['apt-get', 'sudo']) chmodSync(join(folder, 'apt', name), 0o755);
    symlinkSync('/usr/bin/env', join(folder, 'apt/env'));
    for (const name of ['chromium']) write(`apt/${name}`, '');

    const { status, stderr } = runCode("await import('./scripts/install-engines.mjs')", 'apt');
    expect(stderr).toBe('*** Go (golang-go) is not installed: apt-get exited with code 100.\n');
    expect(status).toBe(1);
    const calls = readFileSync(join(folder, 'apt-calls'), 'utf8').trim().split('\n');
    expect(calls.map((call) => call.replace(/^.* (update|install)/, '$1'))).toEqual([
      'update',
      'install --yes --no-install-recommends ceph-mon ceph-osd radosgw',
      'install --yes --no-install-recommends python3 python3-httpx',
      'install --yes --no-install-recommends golang-go',
      'install --yes --no-install-recommends nginx',
      'install --yes --no-install-recommends haproxy',
      'install --yes --no-install-recommends curl',
      'install --yes --no-install-recommends redis-server',
    ]);
    expect(runCode("await import('./scripts/install-engines.mjs')", 'all')).toEqual({
      status: 0,
      stdout: 'All engines are installed.\n',
      stderr: '',
    });
  },
);

describe('the list of engines', () => {
  const entries = Object.values(ENGINES).flatMap(({ tests }) =>
    Object.entries<readonly string[]>(tests),
  );

  it('names every test file that needs an engine', () => {
    const listed = entries.flatMap(([folder, files]) => files.map((file) => join(folder, file)));
    const files = globSync('{docs,packages/*}/test/**/*.test.ts', {
      cwd: ROOT,
      exclude: (name) => name.endsWith('node_modules'),
    });
    const asking = files.filter((file) =>
      /from '@berth\/runtimes\/(browser|engines)'/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(asking.length).toBeGreaterThan(5);
    expect(asking.filter((file) => !listed.some((path) => file.startsWith(path)))).toEqual([]);
  });

  it.each([...new Set(entries.map(([folder]) => folder))])(
    'the tests of %s run again with other engines',
    (folder) => {
      const { tasks } = JSON.parse(readFileSync(join(ROOT, 'turbo.json'), 'utf8'));
      const { name } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      expect(tasks[`${name}#test`]?.env).toEqual(['BERTH_ENGINES', 'BERTH_MISSING_ENGINES']);
    },
  );
});
