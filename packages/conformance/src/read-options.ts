import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Option } from 'commander';
import { z } from 'zod';
import { OptionError } from './errors.ts';
import { toFields } from './json.ts';
import {
  type ConformanceOptions,
  type KnownFailure,
  type OptionName,
  schema,
  toFlag,
  toFlags,
  toSingle,
  toVariable,
} from './options.ts';

type Name = OptionName | 'list' | 'report' | 'quiet' | 'verbose';

const KINDS = ['html', 'junit', 'json'] as const;

/** The kinds of report that `--report` writes. */
export type ReportKind = (typeof KINDS)[number];

const REPORTS = KINDS.map((kind) => `${kind}=FILE`).join(', ');

const CREDENTIALS = 'Credentials (best set by environment variables):';

/** The help in order: the placeholder of each value (flags have none), a description, and the heading above, if any. */
const HELP: Record<Name, [placeholder: string, description: string, heading?: string]> = {
  gatewayUrl: ['<url>', 'base URL of the gateway (default: not checked)', 'Deployment:'],
  gatewayHost: ['<host>', "Host header, which names the environment (default: the URL's)"],
  storageUrl: ['<url>', 'base URL of the storage API, without /api/v2 (default: not checked)'],
  env: ['<id>', 'environment for storage calls'],
  service: ['<name>', 'name under which the fixture service is deployed'],
  wireProfile: ['<file>', "wire profile of the deployment (default: the contract's names)"],
  gatewayToken: ['<token>', 'access token for gateway calls', CREDENTIALS],
  tc3SecretId: ['<id>', 'ID of the key pair that signs gateway and storage calls'],
  tc3SecretKey: ['<key>', 'secret key of the key pair'],
  tc3Token: ['<token>', 'session token of a temporary key pair'],
  storageHeaders: ['<header>', "'Name: value', which storage calls send unchanged"],
  otherEnvToken: ['<token>', 'valid access token of another environment'],
  expiredToken: ['<token>', 'expired access token for this environment'],
  forbiddenService: ['<name>', 'service that these credentials may not call'],
  only: ['<ids>', 'check only these rules, sentences or prefixes: GW-C1,ST-', 'Selection:'],
  known: ['<file>', 'failures to accept, one per line: GW-C1 flaky until 2027-03-31 # reason'],
  readOnly: ['', 'store no files; call delete and copy only for missing files'],
  list: ['', 'list the selected rules, transactions and workflows, then exit'],
  budget: ['<seconds>', 'maximum duration; remaining checks are skipped', 'Run and reports:'],
  report: ['<kind=file>', `write a report: ${REPORTS}`],
  quiet: ['', 'print only the verdict'],
  verbose: ['', 'print each check when it ends, and each result'],
  ca: ['<file>', 'CA certificates (PEM) to trust instead of the default ones', 'Rarely needed:'],
  timeout: ['<seconds>', 'how long to wait for a response'],
  concurrency: ['<number>', 'number of checks to run in parallel'],
  rate: ['<number>', 'maximum number of calls per second'],
  requestForm: ['<form>', 'where storage requests have fields (default: detected): top, data'],
  maxAgeUnit: ['<unit>', 'unit of maxAge: ms, s, min'],
  minLinkSeconds: ['<seconds>', 'minimum lifetime of a link'],
  tc3Service: ['<name>', 'service name in signatures'],
  storageSigningHost: ['<host>', 'host in storage signatures'],
  seed: ['<number>', 'repeat the sequences of an earlier run'],
  sequences: ['<number>', 'number of generated sequences'],
};

/** Parsers for options whose values are not plain text. The schema checks the values. */
const CONVERSIONS: Partial<Record<Name, (text: string) => unknown>> = {
  wireProfile: (file) => parseWireProfile(readText(file), file),
  known: (file) => parseKnown(readText(file)),
  ca: (file) => toCertificates(readText(file), file),
  storageHeaders: (headers) => toHeaders(splitList(headers, /\n/)),
  only: (ids) => splitList(ids, /[\n,]/),
  report: (reports) => splitList(reports, /\n|,(?=[a-z0-9]+=)/).map(toReport),
};

const LISTS: Name[] = ['storageHeaders', 'only', 'report'];

const NAMES = Object.keys(HELP) as Name[];

/** The options of a run, and those that only the command has. */
export interface CommandOptions {
  options: ConformanceOptions;
  list?: boolean;
  report?: { kind: ReportKind; file: string }[];
  quiet?: boolean;
  verbose?: boolean;
  /** Returns the flag or the variable that has set an option. */
  nameOf: (option: Name) => string;
  /** The flags that a command which repeats a check needs, with their values. */
  flags: string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

export function listOptions(): Option[] {
  let heading = '';
  return NAMES.map((name) => {
    const [placeholder, description, above = heading] = HELP[name];
    heading = above;
    const { default: preset } = toFields(properties[name]);
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
  const fromCommandLine = Object.fromEntries(
    NAMES.map((name) => [name, commandLine[toSingle(name)]]),
  );
  const nameOf = (name: Name) =>
    fromCommandLine[name] === undefined && env[toVariable(name)] ? toVariable(name) : toFlag(name);
  const entries = NAMES.flatMap((name) => {
    const text = fromCommandLine[name] ?? (env[toVariable(name)] || undefined);
    if (text === undefined) return [];
    try {
      return [[name, convert(name, String(text))]];
    } catch (error) {
      throw new OptionError(`${nameOf(name)} ${(error as Error).message.replace(/\.$/, '')}.`);
    }
  });
  const { list, report, quiet, verbose, ...options } = Object.fromEntries(entries);
  return { options, list, report, quiet, verbose, nameOf, flags: toFlags(fromCommandLine) };
}

function convert(name: Name, text: string): unknown {
  const { type } = toFields(properties[name]);
  if (type === 'integer' || type === 'number')
    return /^-?[\d.]+$/.test(text) ? Number(text) : Number.NaN;
  if (HELP[name][0] !== '') return (CONVERSIONS[name] ?? String)(text);
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
    return fail(`${name} ${describeFileError(error as NodeJS.ErrnoException, 'read')}`);
  }
}

const FILE_ERRORS: Partial<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'is below a file; check the path',
  // A folder cannot be created where the file is.
  EEXIST: 'is below a file; check the path',
  EISDIR: 'is a folder; name a file',
  EACCES: 'is not accessible; check its permissions',
};

/** Describes why a file cannot be read or written, and what to do. */
export function describeFileError({ code = '' }: NodeJS.ErrnoException, verb: string): string {
  return FILE_ERRORS[code] ?? `cannot be ${verb} (${code})`;
}

function toHeaders(lines: readonly string[]): Record<string, string> {
  const parse = (line: string) => /^([^:]+):[ \t]*(.*)$/s.exec(line)?.slice(1);
  const headers = lines.map((line) => parse(line) ?? fail("must be 'Name: value'"));
  const names = new Set(headers.map(([name = '']) => name.toLowerCase()));
  return names.size === lines.length ? Object.fromEntries(headers) : fail('must not repeat a name');
}

function toReport(report: string): { kind: ReportKind; file: string } {
  const [, name, file = ''] = /^([a-z0-9]+)=(.+)$/s.exec(report) ?? [];
  const kind =
    KINDS.find((each) => each === name) ??
    fail(`must be one of ${REPORTS}; text is always printed`);
  return { kind, file };
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

/** Parses known failures: one per line, as an ID, `flaky` or `until 2027-03-31` or both, and the reason after `#`. */
function parseKnown(lines: string): KnownFailure[] {
  return lines.split(/\r?\n/).flatMap((line) => {
    const [entry = '', reason] = line.split(/(?:^|\s)#\s*(.*)/);
    const flaky = /\sflaky(?=\s|$)/.test(entry);
    const [, until] = /\suntil\s+(\S+)/.exec(entry) ?? [];
    const id = entry.replaceAll(/\s(?:flaky|until\s+\S+)(?=\s|$)/g, '').trim();
    return id === '' ? [] : [{ id, reason, until, flaky }];
  });
}
