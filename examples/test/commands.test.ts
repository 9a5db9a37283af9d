import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandOf, runIn } from './run-example.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('{README.md,docs/guides/*.md,packages/*/README.md}', { cwd: ROOT });
const OPTION = /(?<=^|[\s[(])--?[a-z][a-z0-9-]*/g;

/** The commands by package: their programs, and their subcommands with options. */
const COMMANDS: [name: string, program: string, ...subcommands: string[]][] = [
  ['mock', 'mock/src/cli.ts'],
  ['server', 'server/src/cli.ts', 'token', 'revoke', 'fsck'],
  ['server-stubs', 'server-stubs/generator/cli.ts'],
  ['conformance', 'conformance/src/cli.ts', 'fixture'],
];

/** Options of Docker, which READMEs mention. */
const FOREIGN = ['--network-alias'];

test.each(COMMANDS)(
  'pages only name options of the %s command that it has',
  async (name, program, ...subcommands) => {
    const helps = [[], ...subcommands.map((subcommand) => [subcommand])].map((args) =>
      runIn('.', [process.execPath, commandOf(program), ...args, '--help']),
    );
    const known = new Set((await Promise.all(helps)).join('\n').match(OPTION));

    const call = new RegExp(
      `(?:npx @berth/${name}|berth-${name.replace('server-', '')})(?![\\w-])(?<args>(?:[^\`\\n\\\\]|\\\\\\n)*)`,
      'g',
    );
    const calls = PAGES.flatMap((page) => [...read(page).matchAll(call)]);
    const readme = read(`packages/${name}/README.md`).matchAll(/`(?<args>--[^`]+)`/g);
    const named = [...calls, ...readme].flatMap(({ groups }) => groups?.args?.match(OPTION) ?? []);
    expect(named).not.toEqual([]);
    expect(named.filter((option) => !known.has(option) && !FOREIGN.includes(option))).toEqual([]);
  },
);

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
