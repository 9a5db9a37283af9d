import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Option } from 'commander';
import { z } from 'zod';
import { type ConformanceOptions, type KnownFailure, OPTION_GROUPS } from '../options.ts';
import { reporters } from '../report/reporters.ts';
import { StartError } from '../result.ts';

/** How the text of an option becomes its value, if it is not the value itself. The schema checks the value. */
const CONVERSIONS: Record<string, (text: string) => unknown> = {
  wireProfile: (file) => parseWireProfile(readText(file), file),
  known: (file) => toKnown(readText(file)),
  ca: (file) => toCertificates(readText(file), file),
  storageHeaders: (headers) => Object.fromEntries(toItems(headers, /\n/).map(toHeader)),
  only: (ids) => toItems(ids, /[\n,]/),
  report: (reports) => toItems(reports, /\n|,(?=[a-z0-9]+=)/).map(toReport),
};

const LISTS = ['storageHeaders', 'only', 'report'];

interface Described {
  name: string;
  heading: string;
  /** Placeholder for the value in the help; empty for a flag. */
  value: string;
  description: string;
  type?: string;
  default?: unknown;
}

const described = Object.entries(OPTION_GROUPS).flatMap(([heading, group]) =>
  Object.entries(group).map(([name, type]) => {
    const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
    return { ...schema, name, heading } as unknown as Described;
  }),
);

type Kind = keyof typeof reporters;

/** The options of a run, and those that only the command has. */
export interface CommandOptions {
  run: ConformanceOptions;
  list?: boolean;
  report?: { kind: Kind; file: string }[];
  quiet?: boolean;
  verbose?: boolean;
  /** Returns the flag or the variable that has set an option. */
  nameOf: (option: string) => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const withDashes = (name: string, dash: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => dash + letter.toLowerCase());

/** On the command line, each value of the list is a flag of its own. */
const toAttribute = (name: string) => (name === 'storageHeaders' ? 'storageHeader' : name);

const toFlag = (name: string) => `--${withDashes(toAttribute(name), '-')}`;

const toVariable = (name: string) => `BERTH_${withDashes(toAttribute(name), '_').toUpperCase()}`;

/** Lists the options for the command line, in the order of its help. */
export function listOptions(): Option[] {
  return described.map(({ name, heading, value, description, default: preset }) => {
    const isShown = typeof preset === 'string' || typeof preset === 'number';
    const isList = LISTS.includes(name);
    const more = isShown ? ` (default: ${preset})` : isList ? '; repeatable' : '';
    const option = new Option(`${toFlag(name)} ${value}`.trimEnd(), description + more);
    if (isList) option.argParser((text, earlier) => (earlier ? `${earlier}\n${text}` : text));
    return option.helpGroup(heading);
  });
}

/**
 * Returns the options of the command line, and of the `BERTH_*` variables for those that it does not set. An empty
 * variable sets nothing.
 *
 * @param commandLine what commander has read: texts, and true for a flag without a value
 * @throws StartError that names an invalid flag or variable
 */
export function readOptions(
  env: Environment,
  commandLine: Record<string, unknown> = {},
): CommandOptions {
  const nameOf = (name: string) => {
    const isVariable = commandLine[toAttribute(name)] === undefined && env[toVariable(name)];
    return isVariable ? toVariable(name) : toFlag(name);
  };
  const entries = described.flatMap((option) => {
    const { name } = option;
    const text = commandLine[toAttribute(name)] ?? (env[toVariable(name)] || undefined);
    if (text === undefined) return [];
    try {
      return [[name, convert(option, String(text))]];
    } catch (error) {
      throw new StartError(`${nameOf(name)} ${(error as Error).message.replace(/\.$/, '')}.`);
    }
  });
  const { list, report, quiet, verbose, ...run } = Object.fromEntries(entries);
  return { run, list, report, quiet, verbose, nameOf };
}

function convert({ name, type }: Described, text: string): unknown {
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (type === 'boolean')
    return text === 'true' || (text !== 'false' && fail('must be true or false'));
  return (CONVERSIONS[name] ?? String)(text);
}

function fail(message: string): never {
  throw new Error(message);
}

function toItems(text: string, separator: RegExp): string[] {
  const items = text.split(separator).map((item) => item.trim());
  const filled = items.filter((item) => item !== '');
  return filled.length > 0 ? filled : fail('must not be empty');
}

function readText(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    return fail(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function toHeader(header: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/s.exec(header) ?? [];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    return fail("must be 'Name: value'");
  }
}

function toReport(report: string): { kind: Kind; file: string } {
  const [, kind = '', file = ''] = /^([a-z0-9]+)=(.+)$/s.exec(report) ?? [];
  if (Object.hasOwn(reporters, kind)) return { kind: kind as Kind, file };
  const kinds = Object.keys(reporters).map((each) => `${each}=FILE`);
  return fail(`must be ${kinds.join(', ')}`);
}

function toCertificates(pem: string, name: string): string {
  try {
    // Node accepts anything here, and reports nothing until a connection fails.
    new X509Certificate(pem);
    return pem;
  } catch {
    return fail(`${name} contains no PEM certificate`);
  }
}

/** Parses known failures: one a line, as an ID, `flaky` or `until 2027-03-31` or both, and the reason after `#`. */
function toKnown(lines: string): KnownFailure[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const [entry = '', reason] = line.split(/(?:^|\s)#\s*(.*)/);
    const flaky = /\sflaky(?=\s|$)/.test(entry);
    const [, expires] = /\suntil\s+(\S+)/.exec(entry) ?? [];
    const id = entry.replaceAll(/\s(?:flaky|until\s+\S+)(?=\s|$)/g, '').trim();
    return id === '' ? [] : [{ id, reason, expires, flaky }];
  });
}
