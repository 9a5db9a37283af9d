import { dirname, resolve } from 'node:path';
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
import { readJsonFile } from './terminal.ts';

/** Words that differ in more than this fraction of their letters are not similar. */
const MOST_OFF = 0.4;

/**
 * Reads the command line, the `BERTH_*` variables and the configuration file, in this order of precedence.
 * `writeOut` receives the output of `--help` and `--version`.
 *
 * @returns `undefined` if the program has printed what a shell needs
 * @throws CommanderError or StartError if an option is invalid or help was requested
 */
export async function parseArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  writeOut: (text: string) => void,
): Promise<Arguments | undefined> {
  let typed: Typed | undefined;
  const program = createProgram((found) => {
    typed = found;
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut, writeErr: () => {} });
  }
  program.parse(args, { from: 'user' });
  if (typed === undefined) return undefined;
  const { command, options } = typed;
  const own = Object.entries(options).filter(([name]) => !(name in OPTIONS));
  const fromFlags: Given = Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => name in OPTIONS)
      .map(([name, raw]) => [name, toValue(OPTIONS[name as OptionName], raw, toFlag(name))]),
  );
  const fromVariables = command === 'fixture' ? {} : readEnvironment(env);
  const { config } = { ...fromVariables, ...fromFlags };
  const fromFile = config === undefined ? {} : await readConfigFile(config);
  return {
    ...{ command, own: Object.fromEntries(own) as Record<string, string> },
    given: { ...fromFile, ...fromVariables, ...fromFlags },
    labels: {
      ...label(fromFile, (name) => `${name} in ${config}`),
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

const SETTINGS = OPTION_NAMES.filter((name) => !OPTIONS[name].isCommand);

/**
 * Reads the options in a configuration file, whose paths are relative to its folder.
 *
 * @throws StartError that names the file and the problem, and quotes no value
 */
async function readConfigFile(file: string): Promise<Given> {
  const content = await readJsonFile(file, '--config');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartError(`${file} must contain a JSON object of options.`);
  }
  const entries = Object.entries(content).filter(([key]) => key !== '$schema');
  return Object.fromEntries(entries.map(([key, raw]) => [key, read(file, key, raw)]));
}

function read(file: string, key: string, raw: unknown): unknown {
  if (!SETTINGS.includes(key as OptionName)) {
    throw new StartError(`${file}: unknown option ${key}${suggest(key, SETTINGS)}`);
  }
  const name = key as OptionName;
  const value = toValue(OPTIONS[name], raw, `${key} in ${file}`);
  const folder = dirname(file);
  if (OPTIONS[name].isFile) return resolve(folder, value as string);
  if (name === 'report') {
    return (value as string[]).map((each) =>
      each.replace(/^([\w-]+=)(.+)$/s, (_, kind, path) => kind + resolve(folder, path)),
    );
  }
  return value;
}

/** The name of an option, depending on how it was set: `--timeout`, `BERTH_TIMEOUT`, `timeout in FILE`. */
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
 * @param raw text from the command line or the environment, or a value from the configuration file
 * @param label the option as the user knows it: `--timeout`, `BERTH_TIMEOUT`, `timeout in FILE`
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
