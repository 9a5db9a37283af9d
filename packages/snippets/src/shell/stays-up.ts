import { toBerth } from './command-lines.ts';

/** Matches the output that one of our servers prints when it is ready. */
export const READY = /^ready$|(listens|listening) on|"msg":"listening"/m;

/** Returns whether a command keeps running until it is stopped. */
export function staysUp(words: string[]): boolean {
  const [name = '', ...args] = toBerth(words) ?? [];
  if (args.some((word) => ['--wait', '--help', '--version'].includes(word))) return false;
  if (/conformance$/.test(name)) return args[0] === 'fixture';
  if (/server$/.test(name)) return args[0] === undefined || args[0].startsWith('-');
  return /mock$/.test(name);
}

/** Returns whether a command keeps printing until it is stopped. */
export function isEndless(words: string[]): boolean {
  const [name = '', command] = toBerth(words) ?? [];
  return /^(berth|@berth\/client)$/.test(name) && command === 'tail';
}
