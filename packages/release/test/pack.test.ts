import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listPublished, ROOT } from '../src/list-published.ts';
import { listTogether, pack, toInstallCommand } from '../src/tarball/pack.ts';

// The rehearsal of a release packs, and installs what has been packed as the output says.

describe('npm run pack', () => {
  const run = (...args: string[]) => {
    const script = [join(ROOT, 'scripts/task.mjs'), 'pack', ...args];
    return spawnSync(process.execPath, script, { encoding: 'utf8' });
  };

  test('prints its help, and lists the packages', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    for (const { manifest } of listPublished()) expect(stdout).toContain(manifest.name);
  });

  test('requires a folder, and shows how to pass it', () => {
    const { status, stdout, stderr } = run();
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain("missing required argument 'folder'");
    expect(stderr).toContain('npm run pack -- ../berth-packages');
  });

  test('builds nothing for a package that is not published', () => {
    const { status, stdout, stderr } = run('folder', '@berth/bench');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: no package @berth\/bench is published\. Packages: @berth\/spec, /,
    );
  });
});

test.each([
  ['@berth/client', ['@berth/client']],
  ['@berth/conformance', ['@berth/conformance', '@berth/spec']],
  ['@berth/mock', ['@berth/mock', '@berth/server-stubs', '@berth/spec']],
])('%s is installed together with what it depends on', (name, expected) => {
  const together = listTogether(name, listPublished());
  expect(together.map(({ manifest }) => manifest.name)).toEqual(expected);
});

test('the mock bundles Prism, without the dependency that reports installations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-pack-'));
  try {
    const { manifest, files } = pack(join(ROOT, 'packages/mock'), folder);
    expect(Object.keys(manifest.dependencies ?? {}).join()).not.toMatch(/stoplight|scarf/);
    expect(files).toContain('dist/contract/oracle/prism.licenses.txt');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the command can be pasted, wherever the folder is', () => {
  const files = ['/plain/a-1.0.0.tgz', "/it's mine/b $HOME.tgz"];
  const words = execFileSync(
    'sh',
    ['-c', `npm() { printf '%s\\n' "$@"; }\n${toInstallCommand(files)}`],
    { encoding: 'utf8' },
  );
  expect(words.trimEnd().split('\n')).toEqual(['install', ...files]);
});
