import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const EXAMPLES = join(import.meta.dirname, '..');
const ROOT = join(EXAMPLES, '..');
const BINS = [EXAMPLES, ROOT].map((folder) => join(folder, 'node_modules/.bin'));

/** Addresses in examples and pages, and what they are in a test. */
type Addresses = Readonly<Record<string, string>>;
type Variables = Readonly<Record<string, string>>;

/** Copies an example, or a folder of examples, to a new folder, with the addresses of a test. */
export async function copyExample(path: string, addresses: Addresses = {}): Promise<string> {
  await mkdir(join(EXAMPLES, '.run'), { recursive: true });
  const folder = await mkdtemp(join(EXAMPLES, '.run/'));
  onTestFinished(() => rm(folder, { recursive: true }));
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

function toOptions(cwd: string, variables: Variables) {
  const PATH = [...BINS, process.env.PATH].join(delimiter);
  const NODE_OPTIONS = '--conditions=berth-source';
  return { cwd, env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS, PATH, ...variables } };
}

/** Runs a program in a folder and returns what it prints. */
export async function runIn(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
  variables: Variables = {},
): Promise<string> {
  return (await promisify(execFile)(program, args, toOptions(cwd, variables))).stdout;
}

/** Starts a server in a folder, and returns what it prints first. */
export async function startIn(cwd: string, file: string, variables: Variables = {}) {
  const child: ChildProcess = spawn(process.execPath, [file], toOptions(cwd, variables));
  onTestFinished(() => void child.kill());
  const exit = once(child, 'exit').then(() => Promise.reject(new Error(`${file} has exited.`)));
  exit.catch(() => {});
  const [text] = await Promise.race([once(child.stdout ?? child, 'data'), exit]);
  return String(text);
}

/** Path of a command of a package, to run with Node from source. */
export function commandOf(file: string): string {
  return join(ROOT, 'packages', file);
}

/** The commands of a page's `console` blocks that start with `start`, with the lines below each. */
export async function readCommands(page: string, start: string) {
  const text = await readFile(join(ROOT, page), 'utf8');
  const blocks = text.matchAll(/^ *```(?:console|sh)\n(.*?)^ *```$/gms);
  return [...blocks]
    .flatMap(([, code = '']) => code.split(/^(?:\$ |(?=npx |curl ))/m))
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
