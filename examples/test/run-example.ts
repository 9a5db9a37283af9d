import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '..');
const ROOT = join(EXAMPLES, '..');

/** Addresses in examples and pages, and what they are in a test. */
export type Addresses = Readonly<Record<string, string>>;

const copies: string[] = [];

/** Copies an example, or a folder of examples, to a new folder, with the addresses of a test. */
export async function copyExample(path: string, addresses: Addresses): Promise<string> {
  await mkdir(join(EXAMPLES, '.run'), { recursive: true });
  const folder = await mkdtemp(join(EXAMPLES, '.run/'));
  copies.push(folder);
  const isFile = /\.\w+$/.test(path);
  await cp(join(EXAMPLES, path), isFile ? join(folder, path) : folder, { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    await writeFile(file, replaceAddresses(await readFile(file, 'utf8'), addresses));
  }
  return folder;
}

export function replaceAddresses(text: string, addresses: Addresses): string {
  return Object.entries(addresses).reduce(
    (result, [from, to]) => result.replaceAll(from, to),
    text,
  );
}

/** Removes what `copyExample` has written for this file of tests; other files run at the same time. */
export async function removeCopies(): Promise<void> {
  for (const folder of copies.splice(0)) await rm(folder, { recursive: true });
}

/** Runs a program in a folder and returns what it prints. */
export async function runIn(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    NODE_OPTIONS: '--conditions=berth-source',
    PATH: [
      join(EXAMPLES, 'node_modules/.bin'),
      join(ROOT, 'node_modules/.bin'),
      process.env.PATH,
    ].join(delimiter),
    ...variables,
  };
  const { stdout } = await run(program, args, { cwd, env });
  return stdout;
}

/** Path of a command of a package, to run with Node from source. */
export function commandOf(file: string): string {
  return join(ROOT, 'packages', file);
}

/** The commands of a page's `console` blocks that start with `start`, with the lines below each. */
export async function readCommands(page: string, start: string) {
  const text = await readFile(join(ROOT, page), 'utf8');
  const blocks = text.matchAll(/^ *```(?:console|sh)\n(?<code>.*?)^ *```$/gms);
  return [...blocks]
    .flatMap(({ groups }) => (groups?.code ?? '').split(/^(?:\$ |(?=npx |curl ))/m))
    .filter((part) => part.startsWith(start))
    .map((part) => {
      const [command = '', ...output] = part.trim().split('\n');
      return { command: command.replace(/ {2,}#.*/, ''), output: output.join('\n') };
    });
}

/** Turns output that a page shows into a pattern: `…` stands for any text. */
export function toPattern(output: string): RegExp {
  return new RegExp(`^${output.split('…').map(RegExp.escape).join('.*')}$`);
}
