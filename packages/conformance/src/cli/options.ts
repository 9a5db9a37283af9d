import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Option } from 'commander';
import { rules } from '../contract/rules.ts';
import { transactions } from '../dredd/transactions.ts';
import {
  type ConformanceOptions,
  DEFAULTS,
  type KnownFailure,
  MAX_AGE_UNITS,
  RANGES,
  REQUEST_FORMS,
  toBaseUrl,
  toInteger,
} from '../options.ts';
import { reporters } from '../report/reporters.ts';
import { workflows } from '../respect/run-workflows.ts';
import { StartError } from '../result.ts';

/** The IDs of all rules, sentences, transactions and workflows. */
const IDS: readonly string[] = [
  ...rules.flatMap(({ id, sentences }) => [id, ...Object.keys(sentences)]),
  ...transactions.map(({ name }) => name),
  ...workflows.map(({ id }) => id),
];

/** An option of the command. */
interface Row<Value> {
  /** Placeholder for the value in the help; empty for a flag. */
  readonly placeholder: string;
  readonly help: string;
  /**
   * Converts the text of a flag or a variable.
   *
   * @throws Error whose message continues a sentence that begins with the name of the option. It never contains the
   *   text, which may be a credential
   */
  parse(text: string): Value;
}

function text(placeholder: string, help: string): Row<string> {
  return { placeholder, help, parse: (value) => value || fail('must not be empty') };
}

function url(help: string): Row<string> {
  return { placeholder: '<url>', help, parse: toBaseUrl };
}

function choice<Value extends string>(
  placeholder: string,
  choices: readonly Value[],
  help: string,
): Row<Value> {
  const parse = (value: string) =>
    choices.find((each) => each === value) ?? fail(`must be ${choices.join(' or ')}`);
  return { placeholder, help: `${help}: ${choices.join(', ')}`, parse };
}

function integer(placeholder: string, name: keyof typeof RANGES, help: string): Row<number> {
  const parse = (value: string) =>
    toInteger(/^-?\d+$/.test(value) ? Number(value) : Number.NaN, RANGES[name]);
  return { placeholder, help, parse };
}

function list<Item>(
  placeholder: string,
  separator: RegExp,
  toItem: (text: string) => Item,
  help: string,
): Row<Item[]> {
  const parse = (value: string) => {
    const items = value.split(separator).map((item) => item.trim());
    return items.filter((item) => item !== '').map(toItem);
  };
  return { placeholder, help: `${help}; repeatable`, parse };
}

function flag(help: string): Row<boolean> {
  const parse = (value: string) =>
    value === 'true' || (value !== 'false' && fail('must be true or false'));
  return { placeholder: '', help, parse };
}

function file<Content>(read: (text: string, file: string) => Content, help: string): Row<Content> {
  return { placeholder: '<file>', help, parse: (name) => read(readText(name), name) };
}

const { signature } = defaults;

/** The options of the command. Those of a run have the same names, unless `toOptions` combines them. */
const OPTIONS = {
  gatewayUrl: url('base URL of the gateway (default: it is not checked)'),
  gatewayHost: text('<host>', 'Host header, which names the environment (default: in the URL)'),
  storageUrl: url('base URL of the storage API, without /api/v2 (default: it is not checked)'),
  env: text('<id>', 'environment for storage calls'),
  service: text('<name>', 'name under which the fixture service is deployed'),
  wireProfile: file(
    parseWireProfile,
    "wire profile of the deployment (default: the contract's names)",
  ),

  gatewayToken: text('<token>', 'access token for gateway calls'),
  tc3SecretId: text('<id>', 'ID of the key pair that signs gateway and storage calls'),
  tc3SecretKey: text('<key>', 'secret key of the key pair'),
  tc3Token: text('<token>', 'session token of a temporary key pair'),
  storageHeader: list(
    '<header>',
    /\n/,
    toHeader,
    "'Name: value', which storage calls send unchanged",
  ),
  otherEnvToken: text('<token>', 'valid access token of another environment'),
  expiredToken: text('<token>', 'expired access token of this environment'),
  forbiddenService: text('<name>', 'service that these credentials may not call'),

  only: list('<ids>', /[\n,]/, toId, 'check only these rules, sentences or prefixes: GW-C1,ST-'),
  skip: list('<ids>', /[\n,]/, toId, 'do not check these, in the same form'),
  known: file(parseKnown, 'failures to accept, one a line: GW-C1 flaky until 2027-03-31 # reason'),
  readOnly: flag('send no request that stores, changes or deletes a file'),
  list: flag('print the selected rules, and check nothing'),

  budget: integer('<seconds>', 'budget', 'maximum duration; remaining checks are skipped'),
  report: list(
    '<kind=file>',
    /\n|,(?=[a-z]+=)/,
    toReport,
    'write a report: html=FILE, junit=FILE or json=FILE (CTRF)',
  ),
  quiet: flag('print only the verdict'),
  verbose: flag('print each result as soon as it is known'),

  ca: file(parseCertificates, 'CA certificates (PEM) to trust instead of the default ones'),
  timeout: integer('<ms>', 'timeout', 'how long to wait for a response, in milliseconds'),
  concurrency: integer('<number>', 'concurrency', 'number of checks to run in parallel'),
  rate: integer('<number>', 'rate', 'maximum number of calls per second'),
  requestForm: choice(
    '<form>',
    REQUEST_FORMS,
    'where storage requests have their fields, if not detected',
  ),
  maxAgeUnit: choice('<unit>', MAX_AGE_UNITS, 'unit of maxAge'),
  minLinkSeconds: integer('<seconds>', 'minLinkSeconds', 'minimum lifetime of a link'),
  tc3Service: text('<name>', `service name in signatures (default: ${signature.service})`),
  storageSigningHost: text(
    '<host>',
    `host in storage signatures (default: ${signature.storageSigningHost})`,
  ),
  seed: integer('<number>', 'seed', 'repeat the sequences of an earlier run'),
  sequences: integer('<number>', 'sequences', 'number of generated sequences'),
};

/** The headings of the help, by the option that follows each one. */
const HEADINGS: Record<string, string> = {
  gatewayUrl: 'Deployment:',
  gatewayToken: 'Credentials (best set by environment variables):',
  only: 'Selection:',
  budget: 'Run and reports:',
  ca: 'Rarely needed:',
};

export type CommandOptions = {
  [Name in keyof typeof OPTIONS]?: ReturnType<(typeof OPTIONS)[Name]['parse']>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lists the options for the command line, in the order of its help. */
export function listOptions(): Option[] {
  let heading = '';
  return Object.entries(OPTIONS).map(([name, row]) => {
    heading = HEADINGS[name] ?? heading;
    const flagName = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const { [name]: value }: Record<string, unknown> = DEFAULTS;
    const isShown = typeof value === 'string' || typeof value === 'number';
    const help = isShown ? `${row.help} (default: ${value})` : row.help;
    const option = new Option(`${flagName} ${row.placeholder}`.trimEnd(), help).helpGroup(heading);
    if (row.placeholder === '') return option;
    return option.argParser((text, earlier) => {
      const parsed = parse(flagName, row, text);
      return Array.isArray(parsed) && Array.isArray(earlier) ? [...earlier, ...parsed] : parsed;
    });
  });
}

/**
 * Returns the options of the command line, and of the `BERTH_*` variables for those that it does not set. An
 * empty variable sets nothing.
 *
 * @throws StartError that names an invalid variable
 */
export function readOptions(env: Environment, commandLine: CommandOptions = {}): CommandOptions {
  const entries = Object.entries(OPTIONS).flatMap(([name, row]) => {
    const variable = `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    const text = env[variable];
    return text && !(name in commandLine) ? [[name, parse(variable, row, text)]] : [];
  });
  return { ...Object.fromEntries(entries), ...commandLine };
}

/**
 * Converts the options of the command to those of a run.
 *
 * @throws StartError if one that they need is missing
 */
export function toOptions(command: CommandOptions): ConformanceOptions {
  const {
    tc3SecretId: secretId,
    tc3SecretKey: secretKey,
    tc3Token: token,
    tc3Service: service,
    storageSigningHost,
    storageHeader = [],
    list,
    report,
    quiet,
    verbose,
    ...options
  } = command;
  if (options.gatewayUrl === undefined && options.storageUrl === undefined) {
    throw new StartError(
      '--gateway-url and --storage-url are missing. You can also set BERTH_GATEWAY_URL and BERTH_STORAGE_URL.',
    );
  }
  const isPair = secretId !== undefined && secretKey !== undefined;
  if (!isPair && (secretId ?? secretKey ?? token) !== undefined) {
    throw new StartError('--tc3-secret-id and --tc3-secret-key need each other.');
  }
  return {
    ...options,
    tc3: isPair ? { secretId, secretKey, token, service, storageSigningHost } : undefined,
    storageHeaders: Object.fromEntries(storageHeader),
  };
}

/** Converts text to the value of an option, which is named as the user set it. */
function parse(name: string, row: Row<unknown>, text: string): unknown {
  try {
    return row.parse(text);
  } catch (error) {
    throw new StartError(`${name} ${(error as Error).message.replace(/\.$/, '')}.`);
  }
}

function fail(message: string): never {
  throw new Error(message);
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

/** Checks that something begins with a selected ID: a rule, a sentence, a transaction, a workflow or an engine. */
function toId(id: string): string {
  const isKnown = [...IDS, 'dredd', 'respect'].some((each) => each.startsWith(id));
  return isKnown ? id : fail(`contains ${id}, but no ID begins with that; see --list`);
}

type Kind = keyof typeof reporters;

function toReport(value: string): { kind: Kind; file: string } {
  const [, kind = '', name = ''] = /^([a-z]+)=(.+)$/s.exec(value) ?? [];
  if (Object.hasOwn(reporters, kind)) return { kind: kind as Kind, file: name };
  const kinds = Object.keys(reporters).map((each) => `${each}=FILE`);
  return fail(`must be ${kinds.join(', ')}`);
}

function parseCertificates(pem: string, name: string): string {
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
