import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPTS = ['engines.mjs', 'install.mjs', 'process.mjs'];
const ENTRY = `import * as scripts from './scripts/install.mjs';
await scripts[process.argv[2] ?? 'install']();
`;

/** Replaces npm: records its call, does what pnpm would do, and exits with the code in `npm-exit`. */
const NPM = `#!/bin/sh
echo "$PATH $*" >> npm-calls
[ "$(cat npm-exit)" = 0 ] || exit "$(cat npm-exit)"
mkdir -p node_modules/.bin packages/one/node_modules
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-install-'));
  for (const name of SCRIPTS) cpSync(join(import.meta.dirname, '..', name), at('scripts', name));
  write('package.json', '{ "packageManager": "pnpm@1.2.3", "engines": { "node": ">=20.19" } }');
  write('packages/one/package.json', '{ "dependencies": { "a": "1.0.0" } }');
  write('packages/left-over/.keep', '');
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) write(name, '');
  write('install.mjs', ENTRY);
  write('npm-exit', '0');
  write('bin/npm', NPM);
  chmodSync(at('bin/npm'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function at(...path: string[]) {
  return join(folder, ...path);
}

function write(file: string, text: string) {
  mkdirSync(at(file, '..'), { recursive: true });
  writeFileSync(at(file), text);
}

function install(part = 'install') {
  const PATH = `${at('node_modules/.bin')}:${at('bin')}:/usr/bin:/bin`;
  const { status, stderr } = spawnSync(process.execPath, ['install.mjs', part], {
    cwd: folder,
    env: { PATH },
    encoding: 'utf8',
  });
  return { status, stderr };
}

function countCalls() {
  return existsSync(at('npm-calls'))
    ? readFileSync(at('npm-calls'), 'utf8').split('\n').length - 1
    : 0;
}

it('installs with the pnpm of the manifest, fetched by npm, and does nothing the next time', () => {
  expect(install().status).toBe(0);
  expect(install().status).toBe(0);
  expect(readFileSync(at('npm-calls'), 'utf8')).toMatch(
    / exec --yes .*--package=pnpm@1\.2\.3 -- pnpm install --frozen-lockfile .*\n$/,
  );
  // On the machine's Node, not on the one that the installation can replace.
  expect(readFileSync(at('npm-calls'), 'utf8')).not.toContain('node_modules');
  expect(countCalls()).toBe(1);
});

it('installs only for the mock first, then everything, then nothing for the mock', () => {
  expect(install('installMock').status).toBe(0);
  expect(install('installMock').status).toBe(0);
  expect(readFileSync(at('npm-calls'), 'utf8')).toMatch(
    / --prod --no-optional --filter-prod=@berth\/mock\.\.\. /,
  );
  expect(countCalls()).toBe(1);

  install();
  mkdirSync(at('node_modules/turbo'));
  install('installMock');
  expect(countCalls()).toBe(2);
});

it.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGHUP'] as const)(
  '%s ends the installer too',
  async (signal) => {
    // Like npm runs pnpm: through a shell, which does not forward signals.
    write('bin/npm', "#!/bin/sh\nsh -c 'echo $$ > pid; exec sleep 3601'\nexit 1\n");
    const child = spawn(process.execPath, ['install.mjs'], {
      cwd: folder,
      env: { PATH: `${at('bin')}:/usr/bin:/bin` },
    });
    const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)));
    await expect
      .poll(() => existsSync(at('pid')) && readFileSync(at('pid'), 'utf8'))
      .toMatch(/\d\n/);
    const line = `/proc/${readFileSync(at('pid'), 'utf8').trim()}/cmdline`;
    child.kill(signal);
    expect(await ended).toBeGreaterThan(128);
    // Empty for a zombie process.
    await expect.poll(() => existsSync(line) && readFileSync(line, 'utf8')).toBeFalsy();
  },
);

it.each(['packages/one/package.json', 'pnpm-lock.yaml'])(
  'installs again if %s has changed',
  (file) => {
    install();
    write(file, `${readFileSync(at(file), 'utf8')} `);
    install();
    expect(countCalls()).toBe(2);
  },
);

it('exits with 2 and a message if the installation fails, and retries the next time', () => {
  write('npm-exit', '1');
  expect(install()).toEqual({
    status: 2,
    stderr:
      'Installation failed (see the error above). Check that the npm registry is reachable.\n',
  });
  // An interruption says nothing about the registry.
  write('npm-exit', '130');
  expect(install()).toEqual({ status: 130, stderr: '' });
  write('npm-exit', '0');
  expect(install().status).toBe(0);
  expect(countCalls()).toBe(3);
});

it('rejects an older Node with one line', () => {
  write('package.json', '{ "packageManager": "pnpm@1.2.3", "engines": { "node": ">=99.1" } }');
  expect(install()).toEqual({
    status: 2,
    stderr: `Berth needs Node 99.1 or later; this is Node ${process.versions.node}.\n`,
  });
  expect(countCalls()).toBe(0);
});
