import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import rules from '@berth/spec/rules.json' with { type: 'json' };
import { LEVELS } from '../contract/rules.ts';
import { COPY_PATHS, ENVELOPES, MAX_AGE_UNITS, RANGES, REQUEST_FORMS } from '../options.ts';

/** One option: of the command line, of the environment and of the configuration file. */
export interface OptionSpec {
  /**
   * - `text`: one value
   * - `whole`: a whole number
   * - `flag`: on or off
   * - `list`: several values; on the command line repeatable
   */
  kind: 'text' | 'whole' | 'flag' | 'list';
  /** What it does, for the help and the schema of the configuration file. */
  about: string;
  /** Placeholder of the value in the help: `<url>`. */
  value?: string;
  /** All values that are allowed. */
  choices?: readonly string[];
  /** The numbers that are allowed, and their unit. */
  range?: { unit: string; least: number; most: number };
  /** The default, as the help shows it. */
  usual?: string;
  /** Values of the list are also taken apart at this, beside line breaks. */
  separator?: RegExp;
  /** It is a file that is read; in a configuration file its path begins at that file. */
  isFile?: true;
  /** No setting: it cannot stand in a configuration file. */
  isCommand?: true;
}

const COMMAS = /\s*,\s*/;

type More = Omit<OptionSpec, 'kind' | 'about' | 'value'>;

const text = (value: string, about: string, more: More = {}) =>
  ({ kind: 'text', value, about, ...more }) as const;
const whole = (value: string, about: string, more: More = {}) =>
  ({ kind: 'whole', value, about, ...more }) as const;
const list = (value: string, about: string, more: More = {}) =>
  ({ kind: 'list', value, about, ...more }) as const;
const flag = (about: string, more: More = {}) => ({ kind: 'flag', about, ...more }) as const;

/** What is checked, and how it writes what the contract leaves open. */
const targets = {
  gatewayUrl: text('<url>', 'base URL of the gateway; without one the gateway is not checked'),
  gatewayHost: text(
    '<host>',
    'Host header of the gateway calls; its first label is the environment',
    { usual: 'that of the URL' },
  ),
  storageUrl: text(
    '<url>',
    'base URL of the storage API, without /api/v2; without one it is not checked',
  ),
  env: text('<id>', 'environment of the storage calls', { usual: 'dev' }),
  service: text('<name>', 'name under which the fixture service is deployed', {
    usual: 'conformance',
  }),
  forbiddenService: text(
    '<name>',
    'a service that this caller may not use, for GW-ERROR-FORBIDDEN',
  ),
  wireProfile: text('<file>', 'JSON file with the names that the deployment uses on the wire', {
    isFile: true,
    usual: 'those of the contract',
  }),
  requestForm: text(
    '<form>',
    'where storage requests have their fields: at the top level, or inside data',
    { choices: REQUEST_FORMS, usual: 'found with a call' },
  ),
  envelope: text('<form>', 'form of the storage answers; flat is a declared deviation', {
    choices: ENVELOPES,
    usual: 'wrapped',
  }),
  copyPath: text('<form>', 'how copy paths are written; relative is a declared deviation', {
    choices: COPY_PATHS,
    usual: 'absolute',
  }),
  maxAgeUnit: text('<unit>', 'unit of maxAge; another than s is a declared deviation', {
    choices: MAX_AGE_UNITS,
    usual: 's',
  }),
};

/** How the targets are called. */
const connection = {
  ca: text('<file>', 'certificates (PEM) of the authorities to trust instead of the usual ones', {
    isFile: true,
  }),
  insecure: flag('take any certificate; anyone on the way can read the credentials'),
  proxy: text('<url>', 'HTTP proxy'),
  timeout: whole('<ms>', 'longest wait for one answer, in milliseconds', {
    range: RANGES.timeout,
    usual: String(RANGES.timeout.usual),
  }),
  budget: whole('<s>', 'longest run, in seconds; what is left then is skipped', {
    range: RANGES.budget,
    usual: String(RANGES.budget.usual),
  }),
  concurrency: whole('<number>', 'checks made at the same time', {
    range: RANGES.concurrency,
    usual: '8, or 32 if a call takes 100 ms',
  }),
};

/** Who calls. */
const credentials = {
  gatewayToken: text('<token>', 'access token of the gateway calls, without Bearer'),
  otherEnvToken: text('<token>', 'valid access token of another environment, for AU-BEARER-ENV'),
  expiredToken: text('<token>', 'expired access token of this environment, for AU-BEARER-BAD'),
  tc3SecretId: text(
    '<id>',
    'key pair for signature version 3: of gateway calls, and of storage calls',
  ),
  tc3SecretKey: text('<key>', 'the secret of that key pair'),
  tc3Token: text('<token>', 'token of temporary credentials'),
  tc3Service: text('<name>', 'service name in the credential scope', {
    usual: defaults.signature.service,
  }),
  storageSigningHost: text('<host>', 'constant host that storage calls are signed for', {
    usual: defaults.signature.storageSigningHost,
  }),
  storageHeader: list(
    '<header>',
    "header of the storage calls, 'Name: value', sent as given; repeatable",
  ),
  authModule: text(
    '<file>',
    'ES module with signers of your own: export default { gateway(call), storage(call) }',
    { isFile: true },
  ),
};

/** What is shown and written. */
const output = {
  report: list(
    '<kind=FILE>',
    'write a report: json=FILE, junit=FILE, html=FILE, badge=FILE; repeatable',
    { separator: /,(?=[a-z]+=)/ },
  ),
  failedOnly: flag('show only what did not pass'),
  compare: text(
    '<file>',
    'earlier JSON report: say what fails anew, what passes anew, what still fails',
    { isFile: true },
  ),
};

/** What to do instead of a run, and where settings come from. */
const commands = {
  config: text(
    '<file>',
    'JSON file with options, camelCase: { "gatewayUrl": "https://…", "readOnly": true }',
    { isFile: true, isCommand: true },
  ),
  list: flag('show the rules, with level, needs and sentence', { isCommand: true }),
  dryRun: flag('show what would be sent, rule by rule, and send nothing', { isCommand: true }),
  json: flag('--list or --dry-run as JSON', { isCommand: true }),
};

/** Which rules are checked, and how far. */
const selection = {
  only: list(
    '<ids>',
    'check only these: rule ids or beginnings of them (GW-C,ST-COPY), dredd, respect; repeatable',
    { separator: COMMAS },
  ),
  skip: list('<ids>', 'leave these out; they are reported as disabled; repeatable', {
    separator: COMMAS,
  }),
  level: text('<level>', 'must leaves the SHOULD rules out', { choices: LEVELS, usual: 'should' }),
  rules: text('<version>', 'version of the rule set', { usual: rules.version }),
  readOnly: flag('make no call that stores, changes or deletes a file'),
  prefix: text('<path>', 'folder of everything that is stored; it is emptied at the end', {
    usual: 'berth-conformance',
  }),
  seed: whole('<number>', 'seed of the generated requests; the same seed sends the same', {
    usual: 'random, shown at the end',
  }),
  runs: whole('<number>', 'generated requests for each property', {
    range: RANGES.runs,
    usual: String(RANGES.runs.usual),
  }),
  bail: flag('end after the first failure that is not in the baseline'),
  baseline: text(
    '<file>',
    'ids that are known to fail, JSON list or one a line; one that passes fails the run',
    { isFile: true },
  ),
};

/** The options under the headings of the help. */
export const GROUPS = {
  'Targets:': targets,
  'Credentials:': credentials,
  'Selection:': selection,
  'Connections:': connection,
  'Reports:': output,
  'Other:': commands,
} as const;

const all = { ...targets, ...credentials, ...selection, ...connection, ...output, ...commands };

export type OptionName = keyof typeof all;

export const OPTIONS: Record<OptionName, OptionSpec> = all;

export const OPTION_NAMES = Object.keys(all) as OptionName[];

type ValueOf<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'whole'
    ? number
    : Kind extends 'list'
      ? string[]
      : string;

/** The options that were given, wherever. */
export type Given = { [Name in OptionName]?: ValueOf<(typeof all)[Name]['kind']> };

/** `gatewayUrl` as `--gateway-url`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `gatewayUrl` as `BERTH_GATEWAY_URL`. */
export function toVariable(name: string): string {
  return `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
