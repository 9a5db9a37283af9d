import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
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
