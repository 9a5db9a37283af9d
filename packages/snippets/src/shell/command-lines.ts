import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

const PACKAGES = ['client', 'conformance', 'mock', 'server', 'server-stubs', 'storage'].map(
  (n) => `@berth/${n}`,
);

/** The built commands of this repository, by command name and by package name. */
export const COMMAND_LINES: ReadonlyMap<string, string> = new Map(
  PACKAGES.flatMap((name) => {
    const file = resolve(`${name}/package.json`);
    const bins = Object.entries<string>(JSON.parse(readFileSync(file, 'utf8')).bin);
    return bins.flatMap(([bin, path]): [string, string][] => {
      const cli = join(dirname(file), path);
      return [
        [bin, cli],
        [name, cli],
      ];
    });
  }),
);

/** Returns a command's name and arguments, without `npx`, if it is one of our commands. */
export function toBerth(words: string[]): string[] | undefined {
  const [first, ...others] = words[0] === 'npx' ? withoutOptions(words.slice(1)) : words;
  const name = first?.replace(/^node_modules\/\.bin\//, '').replace(/(?<=.)@[^/]+$/, '') ?? '';
  return COMMAND_LINES.has(name) ? [name, ...others] : undefined;
}

/** Drops options of npx itself: `--yes`, and `-p` with a package. */
function withoutOptions(words: string[]): string[] {
  if (words[0] === '--yes') return withoutOptions(words.slice(1));
  return words[0] === '-p' ? withoutOptions(words.slice(2)) : words;
}

const helps = new Map<string, string>();

/** Returns the `--help` of a command or subcommand. */
function toHelp(cli: string, within: string[]): string {
  const key = [cli, ...within].join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const help = execFileSync(process.execPath, [cli, ...within, '--help'], {
    encoding: 'utf8',
    env,
  });
  helps.set(key, help);
  return help;
}

/** Returns the options in a call to one of our commands that the command's `--help` does not list. */
export function findUnknownOptions([name = '', ...args]: string[]): string[] {
  const cli = COMMAND_LINES.get(name) as string;
  const commands = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(toHelp(cli, []))?.[1] ?? '';
  const names = [...commands.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, command]) => command);
  const within = names.includes(args[0]) ? args.slice(0, 1) : [];
  const help = `${toHelp(cli, [])}${within.length > 0 ? toHelp(cli, within) : ''}`;
  const given = args
    .filter((word) => /^-{1,2}[a-z]/.test(word))
    .map((word) => word.split('=')[0] as string);
  return given.filter((option) => !new RegExp(`(?<![\\w-])${option}(?![\\w-])`).test(help));
}
