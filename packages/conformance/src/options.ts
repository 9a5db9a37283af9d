import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import {
  toWireProfile,
  type WireProfile,
  WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
import { z } from 'zod';
import { IDS, selects, selectsAny, type Test } from './contract/catalog.ts';
import { APIS, type Api } from './contract/openapi.ts';
import { type Result, StartError } from './result.ts';

/** The forms of a storage request, whose fields are at the top level of the body or inside `data` (D21). */
export const REQUEST_FORMS = ['top', 'data'] as const;

export type RequestForm = (typeof REQUEST_FORMS)[number];

/** The forms of copy paths: with a leading `/`, or without (D24). */
export type CopyPaths = WireProfile['copyPaths'];

const { signature } = defaults;

/*
 * A message continues a sentence that begins with the name of the option. It contains no value that may be a
 * credential.
 */
const text = z.string('must be text').min(1, 'must not be empty');

const url = text
  .refine(isBaseUrl, 'must be an http or https URL without credentials, query and fragment')
  .transform((base) => new URL(base).href.replace(/\/+$/, ''));

const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
};

const choice = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices, `must be ${choices.join(' or ')}`);

const profile = z.custom<WireProfileInput>().transform((input, { issues }) => {
  try {
    return toWireProfile(input);
  } catch (error) {
    if (!(error instanceof WireProfileError)) throw error;
    const message = `${error.field} ${error.problem}`.trimStart();
    issues.push({ code: 'custom', message, input });
    return z.NEVER;
  }
});

const flag = z.boolean().default(false);

const selected = text.refine(selectsAny, {
  error: ({ input }) => `contains ${input}, but no ID begins with that; see --list`,
});

/** A failure that the operator accepts for now. */
const knownFailure = z.strictObject({
  /** ID of a rule (`GW-HEADERS`), of a sentence (`GW-C2/1`), of a transaction or of a workflow. */
  id: text.refine((id) => IDS.has(id), {
    error: ({ input }) => `contains ${input}, which is not a valid ID; see --list`,
  }),
  /** Why it is accepted. */
  reason: z.string().optional(),
  /** The last day on which it is accepted, in UTC: `2027-03-31`. Default: no end. */
  expires: z.iso
    .date({ error: ({ input }) => `contains ${input}, which is not a date such as 2027-03-31` })
    .optional(),
  /** Whether it may also pass. Default: false, so that a run fails if it passes. */
  flaky: z.boolean().optional(),
});

/** What the help of the command shows for the value of an option, and as its description. */
const option = <Type extends z.ZodType>(value: string, description: string, type: Type): Type =>
  type.meta({ value, description });

/** A credential, which no report shows. */
const credential = (value: string, description: string) =>
  text.optional().meta({ value, description, isSecret: true });

const optionalUrl = url.optional();
const optionalText = text.optional();
const unchecked = '(default: it is not checked)';

const deployment = {
  gatewayUrl: option('<url>', `base URL of the gateway ${unchecked}`, optionalUrl),
  gatewayHost: option(
    '<host>',
    'Host header, which names the environment (default: in the URL)',
    optionalText,
  ),
  storageUrl: option(
    '<url>',
    `base URL of the storage API, without /api/v2 ${unchecked}`,
    optionalUrl,
  ),
  env: option('<id>', 'environment for storage calls', text.default('dev')),
  service: option(
    '<name>',
    'name under which the fixture service is deployed',
    text.default('conformance'),
  ),
  wireProfile: option(
    '<file>',
    "wire profile of the deployment (default: the contract's names)",
    profile.prefault({}),
  ),
};

const credentials = {
  gatewayToken: credential('<token>', 'access token for gateway calls'),
  tc3SecretId: option(
    '<id>',
    'ID of the key pair that signs gateway and storage calls',
    optionalText,
  ),
  tc3SecretKey: credential('<key>', 'secret key of the key pair'),
  tc3Token: credential('<token>', 'session token of a temporary key pair'),
  storageHeaders: z
    .record(z.string(), z.string())
    .default({})
    .meta({
      value: '<header>',
      description: "'Name: value', which storage calls send unchanged",
      isSecret: true,
    }),
  otherEnvToken: credential('<token>', 'valid access token of another environment'),
  expiredToken: credential('<token>', 'expired access token of this environment'),
  forbiddenService: option('<name>', 'service that these credentials may not call', optionalText),
};

const selection = {
  only: option(
    '<ids>',
    'check only these rules, sentences or prefixes: GW-C1,ST-',
    z.array(selected).min(1, 'must not be empty').default([]),
  ),
  known: option(
    '<file>',
    'failures to accept, one a line: GW-C1 flaky until 2027-03-31 # reason',
    z.array(knownFailure).default([]),
  ),
  readOnly: option('', 'send no request that stores, changes or deletes a file', flag),
};

const rare = {
  ca: option('<file>', 'CA certificates (PEM) to trust instead of the default ones', optionalText),
  timeout: option(
    '<ms>',
    'how long to wait for a response, in milliseconds',
    integer(1, 3_600_000).default(10_000),
  ),
  concurrency: option('<number>', 'number of checks to run in parallel', integer(1, 64).default(4)),
  rate: option('<number>', 'maximum number of calls per second', integer(1, 1000).optional()),
  requestForm: option(
    '<form>',
    'where storage requests have their fields, if not detected: top, data',
    choice(REQUEST_FORMS).optional(),
  ),
  maxAgeUnit: option(
    '<unit>',
    'unit of maxAge: ms, s, min',
    choice(['ms', 's', 'min']).default('s'),
  ),
  minLinkSeconds: option('<seconds>', 'minimum lifetime of a link', integer(1, 100).default(60)),
  tc3Service: option('<name>', 'service name in signatures', text.default(signature.service)),
  storageSigningHost: option(
    '<host>',
    'host in storage signatures',
    text.default(signature.storageSigningHost),
  ),
  seed: option(
    '<number>',
    'repeat the sequences of an earlier run',
    integer(-(2 ** 31), 2 ** 31 - 1).optional(),
  ),
  sequences: option('<number>', 'number of generated sequences', integer(1, 100_000).default(5)),
};

const budget = option(
  '<seconds>',
  'maximum duration; remaining checks are skipped',
  integer(1, 86_400).default(900),
);

const schema = z.strictObject({ ...deployment, ...credentials, ...selection, budget, ...rare });

/** All options, with those that only the command has, in the groups and the order of its help. */
export const OPTION_GROUPS: Record<string, Record<string, z.ZodType>> = {
  'Deployment:': deployment,
  'Credentials (best set by environment variables):': credentials,
  'Selection:': {
    ...selection,
    list: option('', 'print the selected rules, and check nothing', flag),
  },
  'Run and reports:': {
    budget,
    report: option(
      '<kind=file>',
      'write a report: html=FILE, junit=FILE or json=FILE (CTRF)',
      text,
    ),
    quiet: option('', 'print only the verdict', flag),
    verbose: option('', 'print each result as soon as it is known', flag),
  },
  'Rarely needed:': rare,
};

/** The options whose values, or the values in them, are secret. */
export const SECRETS = (Object.keys(schema.shape) as (keyof typeof schema.shape)[]).filter(
  (name) => schema.shape[name].meta()?.isSecret,
);

export type KnownFailure = z.input<typeof knownFailure>;

/**
 * Options for a run: what to check, and with which credentials. Those of the command have the same names, and
 * `berth-conformance --help` describes them. In code, `wireProfile`, `known` and `ca` are the content of a file.
 */
export interface ConformanceOptions extends z.input<typeof schema> {
  /** Stops the run: open requests are aborted, and stored files are removed. */
  signal?: AbortSignal | undefined;
  /** Called with each result as soon as it is known. */
  onResult?: ((result: Result) => void) | undefined;
  /** Called with notices that are not results, such as a wait or a failed clean-up. */
  onNotice?: ((text: string) => void) | undefined;
}

/** The options with their defaults. */
export interface Settings extends z.output<typeof schema> {
  /** Which APIs to check: those that have a URL. */
  apis: readonly Api[];
  gatewayUrl: string;
  storageUrl: string;
  seed: number;
  /** The key pair, if there is one. */
  tc3?: Tc3Settings | undefined;
  signal?: AbortSignal | undefined;
  onResult: (result: Result) => void;
  onNotice: (text: string) => void;
}

interface Tc3Settings {
  secretId: string;
  secretKey: string;
  /** Session token of temporary credentials. */
  token?: string | undefined;
  service: string;
  storageSigningHost: string;
}

/** URL for an API that is not checked and never called. */
const NOWHERE = 'http://nowhere.invalid';

/**
 * Validates the options, and fills in the defaults.
 *
 * @param nameOf returns the name under which the user has set an option
 * @throws StartError that names the invalid option
 */
export function toSettings(
  { signal, onResult = () => {}, onNotice = () => {}, ...options }: ConformanceOptions,
  nameOf: (option: string) => string = (option) => option,
): Settings {
  const { success, data, error } = schema.safeParse(options);
  if (!success) {
    const [{ path = [], message = '' } = {}] = error.issues;
    throw new StartError(`${[...path.slice(0, 1).map(String).map(nameOf), message].join(' ')}.`);
  }
  const apis = APIS.filter((api) => data[`${api}Url`] !== undefined);
  if (apis.length === 0) {
    throw new StartError(`Set ${nameOf('gatewayUrl')}, ${nameOf('storageUrl')}, or both.`);
  }
  const { gatewayUrl = NOWHERE, storageUrl = NOWHERE, storageSigningHost } = data;
  const { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token: token } = data;
  const isPair = secretId !== undefined && secretKey !== undefined;
  if (!isPair && (secretId ?? secretKey ?? token) !== undefined) {
    throw new StartError(
      `${nameOf('tc3SecretId')} and ${nameOf('tc3SecretKey')} must be set together.`,
    );
  }
  const keys = { token, service: data.tc3Service, storageSigningHost };
  return {
    ...data,
    apis,
    gatewayUrl,
    storageUrl,
    seed: data.seed ?? Math.floor(Math.random() * 2 ** 31),
    tc3: isPair ? { secretId, secretKey, ...keys } : undefined,
    signal,
    onResult,
    onNotice,
  };
}

function isBaseUrl(base: string): boolean {
  const url = URL.parse(base);
  const isPlain = url && url.username + url.password + url.search + url.hash === '';
  // A URL whose query or fragment is empty has neither, but `href` keeps their marks.
  return isPlain === true && !/[?#]/.test(base) && /^https?:$/.test(url?.protocol ?? '');
}

/** Whether the operator has selected a test, or a sentence of a rule. */
export const isSelected = (test: Pick<Test, 'engine' | 'id'>, only: readonly string[]): boolean =>
  only.length === 0 || only.some((name) => selects(name, test));
