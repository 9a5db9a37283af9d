import { closest, distance } from 'fastest-levenshtein';
import { StartError } from '../result.ts';
import { createProgram, type Typed } from './create-program.ts';
import {
  type Given,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionSpec,
  toFlag,
  toVariable,
} from './options.ts';

/** Words that differ in more than this fraction of their letters are not similar. */
const MOST_OFF = 0.4;

/**
 * Reads the command line and the `BERTH_*` variables, in this order of precedence.
 * `writeOut` receives the output of `--help` and `--version`.
 *
 * @throws CommanderError or StartError if an option is invalid or help was requested
 */
export function parseArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  writeOut: (text: string) => void,
): Arguments {
  let typed: Typed = { command: 'run', options: {} };
  const program = createProgram((found) => {
    typed = found;
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut, writeErr: () => {} });
  }
  program.parse(args, { from: 'user' });
  const { command, options } = typed;
  const own = Object.entries(options).filter(([name]) => !(name in OPTIONS));
  const fromFlags: Given = Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => name in OPTIONS)
      .map(([name, raw]) => [name, toValue(OPTIONS[name as OptionName], raw, toFlag(name))]),
  );
  const fromVariables = command === 'fixture' ? {} : readEnvironment(env);
  return {
    ...{ command, own: Object.fromEntries(own) as Record<string, string> },
    given: { ...fromVariables, ...fromFlags },
    labels: {
      ...label(fromVariables, toVariable),
      ...label(fromFlags, toFlag),
    },
  };
}

/** Returns `; did you mean …?` if a known word is similar, otherwise a full stop. */
export function suggest(word: string, known: readonly string[]): string {
  const found = closest(word.slice(0, 100), known);
  const isNear = distance(word, found) <= Math.max(word.length, found.length) * MOST_OFF;
  return isNear ? `; did you mean ${found}?` : '.';
}

/** The name of an option, depending on how it was set: `--timeout` or `BERTH_TIMEOUT`. */
export type Labels = Readonly<Record<string, string>>;

/** The command line, with the options from all sources. */
interface Arguments {
  command: Typed['command'];
  /** The options of the subcommand that a run does not have. */
  own: Record<string, string>;
  given: Given;
  labels: Labels;
}

function label(given: Given, toLabel: (name: string) => string): Labels {
  return Object.fromEntries(Object.keys(given).map((name) => [name, toLabel(name)]));
}

/**
 * Validates the value of an option, however it was set.
 *
 * @param raw what the command line or the environment contains
 * @param label the option as the user knows it: `--timeout`, `BERTH_TIMEOUT`
 * @throws StartError that names the option, but never its value, which may be a credential
 */
function toValue(
  spec: OptionSpec,
  raw: unknown,
  label: string,
): string | number | boolean | string[] {
  switch (spec.kind) {
    case 'flag':
      if (raw === true || raw === 'true' || raw === '1') return true;
      if (raw === false || raw === 'false' || raw === '0') return false;
      throw new StartError(`${label} must be true or false.`);
    case 'whole':
      return toWhole(spec, raw, label);
    case 'list':
      return toList(spec, raw, label);
    case 'text':
      return toText(spec, raw, label);
  }
}

function toWhole({ range }: OptionSpec, raw: unknown, label: string): number {
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw;
  const isInside = (whole: number) =>
    range === undefined || (whole >= range.least && whole <= range.most);
  if (typeof value === 'number' && Number.isSafeInteger(value) && isInside(value)) return value;
  const which = range ? ` of ${range.unit} from ${range.least} to ${range.most}` : '';
  throw new StartError(`${label} must be a whole number${which}.`);
}

function toList({ separator }: OptionSpec, raw: unknown, label: string): string[] {
  const items = typeof raw === 'string' ? raw.split(/\r?\n/) : raw;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
    throw new StartError(`${label} must be a list of strings.`);
  }
  const parts = separator ? items.flatMap((item: string) => item.split(separator)) : items;
  return parts.map((part: string) => part.trim()).filter((part) => part !== '');
}

function toText({ choices }: OptionSpec, raw: unknown, label: string): string {
  if (typeof raw !== 'string') throw new StartError(`${label} must be a string.`);
  if (raw === '') throw new StartError(`${label} must not be empty.`);
  if (choices && !choices.includes(raw)) {
    throw new StartError(`${label} must be ${choices.join(' or ')}.`);
  }
  return raw;
}

/**
 * Reads the options that `BERTH_*` variables set. An empty variable sets nothing.
 *
 * @throws StartError that names the variable
 */
function readEnvironment(env: Readonly<Record<string, string | undefined>>): Given {
  const given = OPTION_NAMES.flatMap((name) => {
    const variable = toVariable(name);
    const raw = env[variable];
    return raw ? [[name, toValue(OPTIONS[name], raw, variable)] as const] : [];
  });
  return Object.fromEntries(given);
}
