import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Option } from 'commander';
import { z } from 'zod';
import { rules } from '../contract/rules.ts';
import { transactions } from '../dredd/transactions.ts';
import { type ConformanceOptions, type KnownFailure, schema } from '../options.ts';
import { reporters } from '../report/reporters.ts';
import { workflows } from '../respect/run-workflows.ts';
import { StartError } from '../result.ts';

/** The options that only the command has. */
const HELP = {
  storageHeader: "'Name: value', which storage calls send unchanged",
  list: 'print the selected rules, and check nothing',
  report: 'write a report: html=FILE, junit=FILE or json=FILE (CTRF)',
  quiet: 'print only the verdict',
  verbose: 'print each result as soon as it is known',
};

type Name = Exclude<keyof typeof schema.shape, 'storageHeaders'> | keyof typeof HELP;

/** The flag of every option, in the order of the help, with a placeholder for its value, if it has one. */
const FLAGS: Record<Name, string> = {
  gatewayUrl: '<url>',
  gatewayHost: '<host>',
  storageUrl: '<url>',
  env: '<id>',
  service: '<name>',
  wireProfile: '<file>',

  gatewayToken: '<token>',
  tc3SecretId: '<id>',
  tc3SecretKey: '<key>',
  tc3Token: '<token>',
  storageHeader: '<header>',
  otherEnvToken: '<token>',
  expiredToken: '<token>',
  forbiddenService: '<name>',

  only: '<ids>',
  known: '<file>',
  readOnly: '',
  list: '',

  budget: '<seconds>',
  report: '<kind=file>',
  quiet: '',
  verbose: '',

  ca: '<file>',
  timeout: '<ms>',
  concurrency: '<number>',
  rate: '<number>',
  requestForm: '<form>',
  maxAgeUnit: '<unit>',
  minLinkSeconds: '<seconds>',
  tc3Service: '<name>',
  storageSigningHost: '<host>',
  seed: '<number>',
  sequences: '<number>',
};

/** The headings in the help, each by the first flag below it. */
const HEADINGS: Partial<Record<Name, string>> = {
  gatewayUrl: 'Deployment:',
  gatewayToken: 'Credentials (best set by environment variables):',
  only: 'Selection:',
  budget: 'Run and reports:',
  ca: 'Rarely needed:',
};

const flags = Object.entries(FLAGS) as [Name, string][];

/** How the text of an option becomes its value, if it is not the value itself. An error is that of `toSettings`. */
const CONVERSIONS: Partial<Record<Name, (text: string) => unknown>> = {
  wireProfile: (file) => parseWireProfile(readText(file), file),
  known: (file) => parseKnown(readText(file), file),
  ca: (file) => toCertificates(readText(file), file),
  storageHeader: (headers) => Object.fromEntries(toItems(headers, /\n/).map(toHeader)),
  only: (ids) => toItems(ids, /[\n,]/).map(toId),
  report: (reports) => toItems(reports, /\n|,(?=[a-z0-9]+=)/).map(toReport),
};

const LISTS: readonly string[] = ['storageHeader', 'only', 'report'] satisfies Name[];

const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

const isNumber = (name: Name) => Object(properties?.[name]).type === 'integer';

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

const toFlag = (name: string) =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const toVariable = (name: string) =>
  `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Lists the options for the command line, in the order of its help. */
export function listOptions(): Option[] {
  const defaults: Record<string, unknown> = schema.parse({});
  const shape: Record<string, { description?: string | undefined }> = schema.shape;
  const help: Record<string, string> = HELP;
  let heading = '';
  return flags.map(([name, placeholder]) => {
    heading = HEADINGS[name] ?? heading;
    const { [name]: value } = defaults;
    const isShown = typeof value === 'string' || typeof value === 'number';
    const more = isShown ? ` (default: ${value})` : LISTS.includes(name) ? '; repeatable' : '';
    const description = `${help[name] ?? shape[name]?.description}${more}`;
    const option = new Option(`${toFlag(name)} ${placeholder}`.trimEnd(), description);
    if (LISTS.includes(name)) {
      option.argParser((text, earlier) => (earlier ? `${earlier}\n${text}` : text));
    }
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
    const isVariable = commandLine[name] === undefined && env[toVariable(name)];
    return isVariable ? toVariable(name) : toFlag(name);
  };
  const entries = flags.flatMap(([name]) => {
    const text = commandLine[name] ?? (env[toVariable(name)] || undefined);
    if (text === undefined) return [];
    try {
      return [[name, convert(name, String(text))]];
    } catch (error) {
      throw new StartError(`${nameOf(name)} ${(error as Error).message.replace(/\.$/, '')}.`);
    }
  });
  const { storageHeader, list, report, quiet, verbose, ...run } = Object.fromEntries(entries);
  return { run: { ...run, storageHeaders: storageHeader }, list, report, quiet, verbose, nameOf };
}

function convert(name: Name, text: string): unknown {
  if (isNumber(name)) return /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (FLAGS[name] === '')
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

/** The IDs of all rules, sentences, transactions and workflows. */
const IDS: readonly string[] = [
  ...rules.flatMap(({ id, sentences }) => [id, ...Object.keys(sentences)]),
  ...transactions.map(({ name }) => name),
  ...workflows.map(({ id }) => id),
];

/** Checks that something begins with a selected ID: a rule, a sentence, a transaction, a workflow or an engine. */
function toId(id: string): string {
  const isKnown = [...IDS, 'dredd', 'respect'].some((each) => each.startsWith(id));
  return isKnown ? id : fail(`contains ${id}, but no ID begins with that; see --list`);
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

const KNOWN = /^(?<id>\S.*?)(?<flaky>\s+flaky)?(?:\s+until\s+(?<expires>\S+))?$/;

/** Parses known failures: one a line, as an ID, `flaky`, `until 2027-03-31`, and the reason after `#`. */
function parseKnown(lines: string, name: string): KnownFailure[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const [entry = '', reason] = line.split(/(?:^|\s)#\s*(.*)/);
    const { id, flaky, expires } = KNOWN.exec(entry.trim())?.groups ?? {};
    if (id === undefined) return [];
    if (!IDS.includes(id)) fail(`${name} contains ${id}, which is not a valid ID; see --list`);
    return [{ id, reason, expires, flaky: flaky !== undefined }];
  });
}
