import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { CHOICES, DEFAULTS, RANGES } from '../options.ts';

/** An option that can be set on the command line and in the environment. */
export interface OptionSpec {
  /**
   * - `text`: one value
   * - `whole`: an integer
   * - `flag`: on or off
   * - `list`: several values; repeatable on the command line
   */
  kind: 'text' | 'whole' | 'flag' | 'list';
  /** What the option does, for the help. */
  about: string;
  /** Placeholder for the value in the help: `<url>`. */
  value?: string;
  /** All allowed values, the allowed range, and the default: as in the options of a run. */
  choices?: readonly string[];
  range?: { unit: string; least: number; most: number };
  usual?: string;
  /** Separates the values of a list, in addition to line breaks. */
  separator?: RegExp;
  /** A credential, or a value that may contain one. */
  isSecret?: true;
}

const COMMAS = /\s*,\s*/;
const SECRET = { isSecret: true } as const;

type More = Omit<OptionSpec, 'kind' | 'about' | 'value'>;

const text = (value: string, about: string, more: More = {}) =>
  ({ kind: 'text', value, about, ...more }) as const;
const whole = (value: string, about: string, more: More = {}) =>
  ({ kind: 'whole', value, about, ...more }) as const;
const list = (value: string, about: string, more: More = {}) =>
  ({ kind: 'list', value, about, ...more }) as const;
const flag = (about: string, more: More = {}) => ({ kind: 'flag', about, ...more }) as const;

/** What is checked, and how the deployment fills in what the contract leaves open. */
const targets = {
  gatewayUrl: text('<url>', 'gateway base URL; without it, the gateway is not checked'),
  gatewayHost: text('<host>', 'Host header for gateway calls; its first label is the environment', {
    usual: 'host of the URL',
  }),
  storageUrl: text(
    '<url>',
    'storage API base URL, without /api/v2; without it, the storage API is not checked',
  ),
  env: text('<id>', 'environment for storage calls'),
  service: text('<name>', 'name under which the fixture service is deployed'),
  forbiddenService: text(
    '<name>',
    'service that these credentials may not call; needed for GW-ERROR-FORBIDDEN',
  ),
  wireProfile: text('<file>', 'JSON file with the wire profile of the deployment', {
    usual: "the contract's names",
  }),
  requestForm: text(
    '<form>',
    'where storage requests put their fields: at the top level or inside data',
    { usual: 'detected with a call' },
  ),
  maxAgeUnit: text(
    '<unit>',
    'unit of maxAge; any unit except s is reported as a declared deviation',
  ),
  minLinkSeconds: whole(
    '<s>',
    'lifetime that the deployment may give to a link instead of a shorter one, in seconds',
  ),
};

/** How the targets are called. */
const connection = {
  ca: text('<file>', 'CA certificates (PEM) to trust instead of the default CAs'),
  timeout: whole('<ms>', 'how long to wait for a response, in milliseconds'),
  budget: whole('<s>', 'maximum duration of the run, in seconds; remaining checks are skipped'),
  concurrency: whole('<number>', 'number of checks to run in parallel', {
    usual: '8, or 32 if calls take 100 ms or more',
  }),
};

const credentials = {
  gatewayToken: text(
    '<token>',
    'access token for gateway calls, without the Bearer prefix',
    SECRET,
  ),
  otherEnvToken: text(
    '<token>',
    'valid access token from another environment, for AU-BEARER-ENV',
    SECRET,
  ),
  expiredToken: text(
    '<token>',
    'expired access token from this environment, for AU-REJECTED',
    SECRET,
  ),
  tc3SecretId: text(
    '<id>',
    'ID of the key pair that signs gateway and storage calls (signature version 3)',
  ),
  tc3SecretKey: text('<key>', 'secret key of the key pair', SECRET),
  tc3Token: text('<token>', 'session token of temporary credentials', SECRET),
  tc3Service: text('<name>', 'service name in the credential scope', {
    usual: defaults.signature.service,
  }),
  storageSigningHost: text(
    '<host>',
    'host name in storage signatures, regardless of the URL that is called',
    {
      usual: defaults.signature.storageSigningHost,
    },
  ),
  storageHeader: list(
    '<header>',
    "header to send with storage calls, as 'Name: value'; repeatable",
    SECRET,
  ),
};

/** What is shown and written. */
const output = {
  report: list('<kind=FILE>', 'write a report: json=FILE, junit=FILE or html=FILE; repeatable', {
    separator: /,(?=[a-z]+=)/,
  }),
};

/** Commands. */
const commands = {
  list: flag('list the rules, each with its level, requirements and text'),
  json: flag('print the JSON report instead of text; with --list, print the rules as JSON'),
};

/** Which rules are checked, and how thoroughly. */
const selection = {
  only: list(
    '<ids>',
    'run only the checks with these rule IDs or prefixes (GW-C,ST-COPY), dredd or respect; repeatable',
    { separator: COMMAS },
  ),
  skip: list(
    '<ids>',
    'skip the rules with these IDs or prefixes and report them as disabled; repeatable',
    {
      separator: COMMAS,
    },
  ),
  readOnly: flag('send no request that stores, changes or deletes a file'),
  seed: whole(
    '<number>',
    'seed for generated sequences; the same seed generates the same sequences',
    {
      usual: 'random, shown at the end',
    },
  ),
  sequences: whole(
    '<number>',
    'number of generated sequences of storage calls, made one after another',
    { usual: '25, or as many as start within 30 s' },
  ),
  baseline: text(
    '<file>',
    'known failures, as a JSON list or one ID per line; the run fails if one of them passes or has expired',
  ),
};

/** The options, grouped by heading in the help. */
export const GROUPS = {
  'Targets:': targets,
  'Credentials:': credentials,
  'Selection:': selection,
  'Connections:': connection,
  'Reports:': output,
  'Other:': commands,
} as const;

const all = {
  ...targets,
  ...credentials,
  ...selection,
  ...connection,
  ...output,
  ...commands,
};

export type OptionName = keyof typeof all;

export const OPTIONS = Object.fromEntries(
  Object.entries<OptionSpec>(all).map(([name, spec]) => [name, withValues(name, spec)]),
) as Record<OptionName, OptionSpec>;

function withValues(name: string, spec: OptionSpec): OptionSpec {
  const { [name]: choices }: Record<string, readonly string[]> = CHOICES;
  const { [name]: range }: Record<string, OptionSpec['range']> = RANGES;
  const { [name]: usual }: Record<string, unknown> = DEFAULTS;
  const isShown = typeof usual === 'string' || typeof usual === 'number';
  return {
    ...(choices && { choices }),
    ...(range && { range }),
    ...(isShown && { usual: String(usual) }),
    ...spec,
  };
}

export const OPTION_NAMES = Object.keys(all) as OptionName[];

type ValueOf<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'whole'
    ? number
    : Kind extends 'list'
      ? string[]
      : string;

/** The options that were set on the command line or in the environment. */
export type Given = { [Name in OptionName]?: ValueOf<(typeof all)[Name]['kind']> };

/** Returns the flag for an option, such as `--gateway-url` for `gatewayUrl`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the environment variable for an option, such as `BERTH_GATEWAY_URL` for `gatewayUrl`. */
export function toVariable(name: string): string {
  return `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
