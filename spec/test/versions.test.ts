import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { SPEC } from '../generate/read.ts';

const REDOCLY = createRequire(import.meta.url).resolve('@redocly/cli/package.json');

/** Checks that the version of a document is high enough for its changes, as `redocly diff` rates them. */
function check(released: string, current: string) {
  const args = [released, current, '--check-version', '--fail-on', 'none'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const command = [join(dirname(REDOCLY), 'bin/cli.js'), 'diff', ...args];
  // Redocly reads its configuration in the working directory.
  return spawnSync(process.execPath, command, { cwd: SPEC, env, encoding: 'utf8' });
}

it('the documents have the versions that their changes since the last release require', () => {
  for (const released of globSync(join(SPEC, 'released/*.yaml'))) {
    const { status, stdout, stderr } = check(released, join(SPEC, basename(released)));
    expect(status, stdout + stderr).toBe(0);
  }
});

it('a document that lacks a field of its release needs a major version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-version-'));
  const text = readFileSync(join(SPEC, 'storage.v2.yaml'), 'utf8');
  const write = (version: string, content: string) => {
    const file = join(folder, `${version}.yaml`);
    writeFileSync(file, content.replace(/^ {2}version: .+$/m, `  version: ${version}`));
    return file;
  };
  const released = write('1.0.0', text);
  const without = text.replaceAll('tempFileURL', 'link');
  expect(check(released, write('1.1.0', without))).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/these changes require a major bump \(2\.0\.0\)/),
  });
  expect(check(released, write('2.0.0', without))).toMatchObject({ status: 0 });
});
