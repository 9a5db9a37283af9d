import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Option } from 'commander';
import { z } from 'zod';
import { StartError } from '../not-run.ts';
import { type ConformanceOptions, type KnownFailure, schema } from '../options.ts';
import { reporters } from '../report/reporters.ts';

/** How the text of an option becomes its value, if it is not the value itself. The schema checks the value. */
const CONVERSIONS: Record<string, (text: string) => unknown> = {
  wireProfile: (file) => parseWireProfile(readText(file), file),
  known: (file) => parseKnown(readText(file)),
  ca: (file) => toCertificates(readText(file), file),
  storageHeaders: (headers) => Object.fromEntries(splitList(headers, /\n/).map(toHeader)),
  only: (ids) => splitList(ids, /[\n,]/),
  report: (reports) => splitList(reports, /\n|,(?=[a-z0-9]+=)/).map(toReport),
};

const LISTS = ['storageHeaders', 'only', 'report'];

/** All options in the order of the help, under its headings, each with a placeholder for its value. */
const HELP: Record<string, [name: string, placeholder: string, description: string][]> = {
  'Deployment:': [
    ['gatewayUrl', '<url>', 'base URL of the gateway (default: not checked)'],
    ['gatewayHost', '<host>', 'Host header, which names the environment (default: in the URL)'],
    ['storageUrl', '<url>', 'base URL of the storage API, without /api/v2 (default: not checked)'],
    ['env', '<id>', 'environment for storage calls'],
    ['service', '<name>', 'name under which the fixture service is deployed'],
    ['wireProfile', '<file>', "wire profile of the deployment (default: the contract's names)"],
  ],
  'Credentials (best set by environment variables):': [
    ['gatewayToken', '<token>', 'access token for gateway calls'],
    ['tc3SecretId', '<id>', 'ID of the key pair that signs gateway and storage calls'],
    ['tc3SecretKey', '<key>', 'secret key of the key pair'],
    ['tc3Token', '<token>', 'session token of a temporary key pair'],
    ['storageHeaders', '<header>', "'Name: value', which storage calls send unchanged"],
    ['otherEnvToken', '<token>', 'valid access token of another environment'],
    ['expiredToken', '<token>', 'expired access token of this environment'],
    ['forbiddenService', '<name>', 'service that these credentials may not call'],
  ],
  'Selection:': [
    ['only', '<ids>', 'check only these rules, sentences or prefixes: GW-C1,ST-'],
    ['known', '<file>', 'failures to accept, one a line: GW-C1 flaky until 2027-03-31 # reason'],
    ['readOnly', '', 'send no request that stores, changes or deletes a file'],
    ['list', '', 'list the selected rules, transactions and workflows, then exit'],
  ],
  'Run and reports:': [
    ['budget', '<seconds>', 'maximum duration; remaining checks are skipped'],
    ['report', '<kind=file>', 'write a report: html=FILE, junit=FILE or json=FILE (CTRF)'],
    ['quiet', '', 'print only the verdict'],
    ['verbose', '', 'print each result as soon as it is known'],
  ],
  'Rarely needed:': [
    ['ca', '<file>', 'CA certificates (PEM) to trust instead of the default ones'],
    ['timeout', '<seconds>', 'how long to wait for a response'],
    ['concurrency', '<number>', 'number of checks to run in parallel'],
    ['rate', '<number>', 'maximum number of calls per second'],
    [
      'requestForm',
      '<form>',
      'where storage requests have their fields (default: detected): top, data',
    ],
    ['maxAgeUnit', '<unit>', 'unit of maxAge: ms, s, min'],
    ['minLinkSeconds', '<seconds>', 'minimum lifetime of a link'],
    ['tc3Service', '<name>', 'service name in signatures'],
    ['storageSigningHost', '<host>', 'host in storage signatures'],
    ['seed', '<number>', 'repeat the sequences of an earlier run'],
    ['sequences', '<number>', 'number of generated sequences'],
  ],
};

const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

const options = Object.entries(HELP).flatMap(([heading, rows]) =>
  rows.map(([name, placeholder, description]) => {
    const { type, default: preset } = Object(properties?.[name]);
    return { heading, name, placeholder, description, preset, type };
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

/** On the command line, each header of a list is a flag of its own. */
const toAttribute = (name: string) => name.replace(/Headers$/, 'Header');

const toFlag = (name: string) => `--${withDashes(toAttribute(name), '-')}`;

const toVariable = (name: string) => `BERTH_${withDashes(toAttribute(name), '_').toUpperCase()}`;

export function listOptions(): Option[] {
  return options.map(({ name, heading, placeholder, description, preset }) => {
    const isShown = typeof preset === 'string' || typeof preset === 'number';
    const isList = LISTS.includes(name);
    const more = isShown ? ` (default: ${preset})` : isList ? '; repeatable' : '';
    const option = new Option(`${toFlag(name)} ${placeholder}`.trimEnd(), description + more);
    if (isList) option.argParser((text, earlier) => (earlier ? `${earlier}\n${text}` : text));
    return option.helpGroup(heading);
  });
}

/** The command line takes precedence over the `BERTH_*` variables. An empty variable sets nothing. */
export function readOptions(
  env: Environment,
  commandLine: Record<string, unknown> = {},
): CommandOptions {
  const nameOf = (name: string) => {
    const isVariable = commandLine[toAttribute(name)] === undefined && env[toVariable(name)];
    return isVariable ? toVariable(name) : toFlag(name);
  };
  const entries = options.flatMap((option) => {
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

function convert({ name, placeholder, type }: (typeof options)[number], text: string): unknown {
  if (type === 'integer' || type === 'number')
    return /^-?[\d.]+$/.test(text) ? Number(text) : Number.NaN;
  if (placeholder !== '') return (CONVERSIONS[name] ?? String)(text);
  return text === 'true' || (text !== 'false' && fail('must be true or false'));
}

function fail(message: string): never {
  throw new Error(message);
}

function splitList(text: string, separator: RegExp): string[] {
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
function parseKnown(lines: string): KnownFailure[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const [entry = '', reason] = line.split(/(?:^|\s)#\s*(.*)/);
    const flaky = /\sflaky(?=\s|$)/.test(entry);
    const [, expires] = /\suntil\s+(\S+)/.exec(entry) ?? [];
    const id = entry.replaceAll(/\s(?:flaky|until\s+\S+)(?=\s|$)/g, '').trim();
    return id === '' ? [] : [{ id, reason, expires, flaky }];
  });
}
