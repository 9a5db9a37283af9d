import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('{README.md,docs/guides/*.md,packages/*/README.md}', { cwd: ROOT });
const OPTION = /(?<=^|[\s[(])--?[a-z][a-z0-9-]*/g;
/** An option of Docker, which READMEs mention. */
const FOREIGN = '--network-alias';

/** The help of each command; `npm run generate` keeps the page up to date. */
const [, ...HELPS] = read('docs/reference/commands.md').split(/^## berth-/m);

test.each(['mock', 'server', 'stubs', 'conformance'])(
  'pages only name options of berth-%s that it has',
  (command) => {
    const help = HELPS.find((text) => text.startsWith(`${command}\n`));
    const known = [...(help?.match(OPTION) ?? []), FOREIGN];

    const name = command === 'stubs' ? 'server-stubs' : command;
    const call = new RegExp(
      `(?:npx @berth/${name}|berth-${command})(?![\\w-])((?:[^\`\\n\\\\]|\\\\\\n)*)`,
      'g',
    );
    const calls = PAGES.flatMap((page) => [...read(page).matchAll(call)]);
    const readme = read(`packages/${name}/README.md`).matchAll(/`(--[^`]+)`/g);
    const named = [...calls, ...readme].flatMap(([, args]) => args?.match(OPTION) ?? []);
    expect(named).not.toEqual([]);
    expect(named.filter((option) => !known.includes(option))).toEqual([]);
  },
);

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
