import { toBerth } from './command-lines.ts';

/** Commands that run here, because they need no network and only touch the page's own folder. */
const HERE =
  'base64 cat cd curl cp date echo env export grep head kill ls mkdir mv printf rm sed set sleep test touch wait'.split(
    ' ',
  );
const NPM_HERE = ['init', 'install', 'pkg'];
const NPX_HERE = ['vitest', 'tsc'];

/** Commands that do not, and why. Add an unknown command to the list where it belongs. */
const ELSEWHERE: [RegExp, string][] = [
  [/^(docker|podman|kubectl|helm)$/, 'needs containers'],
  [/^(git|gh)$/, 'needs a remote repository'],
  [/^(apt|apt-get|brew|sudo|systemctl)$/, 'changes the machine'],
  [/^(python3|go)$/, 'test/languages.test.ts runs Python and Go'],
  [/^(pip|openapi-python-client)$/, 'installs from another registry'],
  [/^(npm|pnpm|npx)$/, 'a package.json script, which has its own tests'],
  [/^(node|sh)$/, 'a script in this repository, which has its own tests'],
];

/** A host other than this machine. */
const HOST = /https?:\/\/(?!127\.0\.0\.1[:/]|localhost[:/]|127\.0\.0\.1$)([\w.-]+)/;

/**
 * Returns why a command cannot run here.
 *
 * @returns `undefined` if it can
 * @throws Error if the command is unknown
 */
export function skipReason(words: string[]): string | undefined {
  const [command = '', ...args] = words;
  const berth = toBerth(words);
  const text = words.join(' ');
  const sendsNothing = /--(list|help|version)\b/.test(text);
  const host = HOST.exec(text)?.[1];
  if (host !== undefined && !sendsNothing) return `calls ${host}`;
  if (berth !== undefined) {
    const isSuite = /conformance$/.test(berth[0] as string) && berth[1] !== 'fixture';
    const isSmall = args.includes('--only');
    const isPart = isSmall && text.includes('--gateway-url http://127.0.0.1');
    return isSuite && !sendsNothing && !isPart
      ? 'a conformance run, which packages/conformance tests'
      : undefined;
  }
  if (HERE.includes(command)) return undefined;
  if (command === 'node' && !args.some((word) => /(^|\/)scripts\//.test(word))) return undefined;
  if (command === 'npm' && NPM_HERE.includes(args[0] ?? '') && !args.includes('-g'))
    return undefined;
  if (command === 'npx' && NPX_HERE.includes(args[0] ?? '')) return undefined;
  const why = ELSEWHERE.find(([like]) => like.test(command))?.[1];
  if (why === undefined) throw new Error(`unknown command ${command}: add it to what-runs.ts`);
  return why;
}

/** Matches the output that one of our servers prints when it is ready. */
export const READY = /^ready$|(listens|listening) on|"msg":"listening"/m;

/** Returns whether a command keeps running until it is stopped. */
export function staysUp(words: string[]): boolean {
  const [name = '', ...args] = toBerth(words) ?? [];
  if (args.some((word) => ['--help', '--version'].includes(word))) return false;
  if (/conformance$/.test(name)) return args[0] === 'fixture';
  if (/server$/.test(name)) return args[0] === undefined || args[0].startsWith('-');
  return /mock$/.test(name);
}

/** Returns whether a command keeps printing until it is stopped. */
export function isEndless(words: string[]): boolean {
  const [name = '', command] = toBerth(words) ?? [];
  return /^(berth|@berth\/client)$/.test(name) && command === 'tail';
}
