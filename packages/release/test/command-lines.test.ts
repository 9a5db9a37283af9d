import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listPublished, ROOT } from '../src/list-published.ts';

const commands = listPublished().flatMap(({ folder, manifest: { bin = {} } }) =>
  Object.entries(bin).map(([name, file]) => [name, join(ROOT, folder, file)] as const),
);

test('five commands are published', () => {
  expect(commands.map(([name]) => name).sort()).toEqual([
    'berth',
    'berth-conformance',
    'berth-mock',
    'berth-server',
    'berth-stubs',
  ]);
});

test.each(commands)('%s ends in silence where nobody reads on, as in `| head`', async (_, file) => {
  const child = spawn(process.execPath, [file, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ code, told }).toEqual({ code: 0, told: '' });
});

describe.each(commands)('the completion of %s', (name, file) => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [file, 'complete', ...args], { encoding: 'utf8' });

  test('lists options and commands, and lets shells complete file names', () => {
    expect(run('--', '--ver')).toBe(`--version\t${/\t(.+)\n/.exec(run('--', '--ver'))?.[1]}\n:0\n`);
    expect(run('--', 'com')).toMatch(/^complete\t.+\n:0\n$/);
  });

  test.each(['bash', 'fish', 'powershell', 'zsh'])('has a script for %s', (shell) => {
    expect(run(shell)).toContain(name);
  });

  test('works in bash', () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-completion-'));
    try {
      symlinkSync(file, join(folder, name));
      chmodSync(file, 0o755);
      const script = `source <(${name} complete bash)
COMP_WORDS=(${name} --hel) COMP_CWORD=1 COMP_LINE='${name} --hel' COMP_POINT=$((\${#COMP_LINE}))
$(complete -p ${name} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
echo "\${COMPREPLY[@]}"`;
      const env = { PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter) };
      const output = execFileSync('bash', ['-c', script], { env, encoding: 'utf8' });
      expect(output).toBe('--help\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
