import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
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

test.each(commands)('%s completes options and commands in bash', (name, file) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-completion-'));
  try {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`);
    chmodSync(join(folder, name), 0o755);
    // What bash-completion does, which the script needs.
    const script = `_get_comp_words_by_ref() { cur=$typed prev=${name} words=(${name} "$typed") cword=1; }
source <(${name} complete bash)
function=$(complete -p ${name} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
for typed in --vers compl; do $function 2>/dev/null; echo "\${COMPREPLY[@]}"; done
${name} complete -- ./fil`;
    const env = { PATH: [folder, process.env.PATH].join(delimiter) };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const output = execFileSync('bash', ['--norc', '-c', script], { env, stdio: [...stdio] });
    // :0 lets shells complete file names.
    expect(output.toString()).toBe('--version\ncomplete\n:0\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
