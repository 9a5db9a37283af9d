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
  /** A credential. */
  isSecret?: true;
  /** No setting: it cannot stand in a configuration file. */
  isCommand?: true;
}

/** Options that stand together in the help. */
type OptionGroup = Record<string, OptionSpec>;

/** What is checked, and how it writes what the contract leaves open. */
const targets = {
  gatewayUrl: {
    kind: 'text',
    value: '<url>',
    about: 'base URL of the gateway; without one the gateway is not checked',
  },
  gatewayHost: {
    kind: 'text',
    value: '<host>',
    about: 'Host header of the gateway calls; its first label is the environment',
    usual: 'that of the URL',
  },
  storageUrl: {
    kind: 'text',
    value: '<url>',
    about: 'base URL of the storage API, without /api/v2; without one it is not checked',
  },
  env: { kind: 'text', value: '<id>', about: 'environment of the storage calls', usual: 'dev' },
  service: {
    kind: 'text',
    value: '<name>',
    about: 'name under which the fixture service is deployed',
    usual: 'conformance',
  },
  forbiddenService: {
    kind: 'text',
    value: '<name>',
    about: 'a service that this caller may not use, for GW-ERROR-FORBIDDEN',
  },
  wireProfile: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'JSON file with the names that the deployment uses on the wire',
    usual: 'those of the contract',
  },
  requestForm: {
    kind: 'text',
    value: '<form>',
    choices: REQUEST_FORMS,
    about: 'where storage requests have their fields: at the top level, or inside data',
    usual: 'found with a call',
  },
  envelope: {
    kind: 'text',
    value: '<form>',
    choices: ENVELOPES,
    about: 'form of the storage answers; flat is a declared deviation',
    usual: 'wrapped',
  },
  copyPath: {
    kind: 'text',
    value: '<form>',
    choices: COPY_PATHS,
    about: 'how copy paths are written; relative is a declared deviation',
    usual: 'absolute',
  },
  maxAgeUnit: {
    kind: 'text',
    value: '<unit>',
    choices: MAX_AGE_UNITS,
    about: 'unit of maxAge; another than s is a declared deviation',
    usual: 's',
  },
} as const satisfies OptionGroup;

/** How the targets are called. */
const connection = {
  ca: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'certificates (PEM) of the authorities to trust instead of the usual ones',
  },
  insecure: {
    kind: 'flag',
    about: 'take any certificate; anyone on the way can read the credentials',
  },
  proxy: { kind: 'text', value: '<url>', isSecret: true, about: 'HTTP proxy' },
  timeout: {
    kind: 'whole',
    value: '<ms>',
    range: RANGES.timeout,
    about: 'longest wait for one answer, in milliseconds',
    usual: String(RANGES.timeout.usual),
  },
  budget: {
    kind: 'whole',
    value: '<s>',
    range: RANGES.budget,
    about: 'longest run, in seconds; what is left then is skipped',
    usual: String(RANGES.budget.usual),
  },
  concurrency: {
    kind: 'whole',
    value: '<number>',
    range: RANGES.concurrency,
    about: 'checks made at the same time',
    usual: '8, or 32 if a call takes 100 ms',
  },
} as const satisfies OptionGroup;

/** Who calls. */
const credentials = {
  gatewayToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'access token of the gateway calls, without Bearer',
  },
  otherEnvToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'valid access token of another environment, for AU-BEARER-ENV',
  },
  expiredToken: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'expired access token of this environment, for AU-BEARER-BAD',
  },
  tc3SecretId: {
    kind: 'text',
    value: '<id>',
    about: 'key pair for signature version 3: of gateway calls, and of storage calls',
  },
  tc3SecretKey: {
    kind: 'text',
    value: '<key>',
    isSecret: true,
    about: 'the secret of that key pair',
  },
  tc3Token: {
    kind: 'text',
    value: '<token>',
    isSecret: true,
    about: 'token of temporary credentials',
  },
  tc3Service: {
    kind: 'text',
    value: '<name>',
    about: 'service name in the credential scope',
    usual: defaults.signature.service,
  },
  storageSigningHost: {
    kind: 'text',
    value: '<host>',
    about: 'constant host that storage calls are signed for',
    usual: defaults.signature.storageSigningHost,
  },
  storageHeader: {
    kind: 'list',
    value: '<header>',
    isSecret: true,
    about: "header of the storage calls, 'Name: value', sent as given; repeatable",
  },
  authModule: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'ES module with signers of your own: export default { gateway(call), storage(call) }',
  },
} as const satisfies OptionGroup;

/** What is shown and written. */
const output = {
  report: {
    kind: 'list',
    value: '<kind=FILE>',
    separator: /,(?=[a-z]+=)/,
    about: 'write a report: json=FILE, junit=FILE, html=FILE, badge=FILE; repeatable',
  },
  failedOnly: { kind: 'flag', about: 'show only what did not pass' },
  compare: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'earlier JSON report: say what fails anew, what passes anew, what still fails',
  },
} as const satisfies OptionGroup;

/** What to do instead of a run, and where settings come from. */
const commands = {
  config: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    isCommand: true,
    about: 'JSON file with options, camelCase: { "gatewayUrl": "https://…", "readOnly": true }',
  },
  list: { kind: 'flag', isCommand: true, about: 'show the rules, with level, needs and sentence' },
  dryRun: {
    kind: 'flag',
    isCommand: true,
    about: 'show what would be sent, rule by rule, and send nothing',
  },
  json: { kind: 'flag', isCommand: true, about: '--list or --dry-run as JSON' },
} as const satisfies OptionGroup;

const COMMAS = /\s*,\s*/;

/** Which rules are checked, and how far. */
const selection = {
  only: {
    kind: 'list',
    value: '<ids>',
    separator: COMMAS,
    about:
      'check only these: rule ids or beginnings of them (GW-C,ST-COPY), dredd, respect; repeatable',
  },
  skip: {
    kind: 'list',
    value: '<ids>',
    separator: COMMAS,
    about: 'leave these out; they are reported as disabled; repeatable',
  },
  level: {
    kind: 'text',
    value: '<level>',
    choices: LEVELS,
    about: 'must leaves the SHOULD rules out',
    usual: 'should',
  },
  rules: {
    kind: 'text',
    value: '<version>',
    about: 'version of the rule set',
    usual: rules.version,
  },
  readOnly: { kind: 'flag', about: 'make no call that stores, changes or deletes a file' },
  prefix: {
    kind: 'text',
    value: '<path>',
    about: 'folder of everything that is stored; it is emptied at the end',
    usual: 'berth-conformance',
  },
  seed: {
    kind: 'whole',
    value: '<number>',
    about: 'seed of the generated requests; the same seed sends the same',
    usual: 'random, shown at the end',
  },
  runs: {
    kind: 'whole',
    value: '<number>',
    range: RANGES.runs,
    about: 'generated requests for each property',
    usual: String(RANGES.runs.usual),
  },
  bail: { kind: 'flag', about: 'end after the first failure that is not in the baseline' },
  baseline: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'ids that are known to fail, JSON list or one a line; one that passes fails the run',
  },
} as const satisfies OptionGroup;

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
