import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import {
  toWireProfile,
  type WireProfile,
  WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
import { z } from 'zod';
import { createSelection, IDS, selectsAny } from './contract/catalog.ts';
import { APIS } from './contract/openapi.ts';
import { OptionError } from './errors.ts';
import type { CredentialKind } from './http/sign.ts';
import { Redactor } from './results/redact.ts';
import type { CheckResult } from './results/result.ts';

/** The forms of a storage request, whose fields are at the top level of the body or inside `data` (D21). */
export const REQUEST_FORMS = ['top', 'data'] as const;

export type RequestForm = (typeof REQUEST_FORMS)[number];

/** The forms of copy paths: with a leading `/`, or without (D24). */
export type CopyPaths = WireProfile['copyPaths'];

export interface KnownFailure {
  /** ID of a rule (`GW-HEADERS`), of a sentence (`GW-C2/1`), of a transaction or of a workflow. */
  id: string;
  /** Why it is accepted. */
  reason?: string | undefined;
  /** The last day on which it is accepted, in UTC: `2027-03-31`. Default: no end. */
  until?: string | undefined;
  /** Whether it may also pass. Default: false, so that a run fails if it passes. */
  flaky?: boolean | undefined;
}

/** Options for a run: what to check, and with which credentials. Those of the command have the same names. */
export interface ConformanceOptions {
  /** Base URL of the gateway. Default: the gateway is not checked. */
  gatewayUrl?: string | undefined;
  /** `Host` of gateway calls, which names the environment. Default: that of the URL. */
  gatewayHost?: string | undefined;
  /** Base URL of the storage API, without `/api/v2`. Default: the storage API is not checked. */
  storageUrl?: string | undefined;
  /** Environment for storage calls. Default: `dev`. */
  env?: string | undefined;
  /** Name under which the fixture service is deployed. Default: `conformance`. */
  service?: string | undefined;
  /** Names that the deployment uses instead of the contract's. Default: none. */
  wireProfile?: WireProfileInput | undefined;
  /** Access token for gateway calls. */
  gatewayToken?: string | undefined;
  /** ID of the key pair that signs gateway and storage calls. */
  tc3SecretId?: string | undefined;
  /** Secret key of the key pair. */
  tc3SecretKey?: string | undefined;
  /** Session token of a temporary key pair. */
  tc3Token?: string | undefined;
  /** Headers that storage calls send unchanged, by name. */
  storageHeaders?: Record<string, string> | undefined;
  /** Valid access token of another environment. */
  otherEnvToken?: string | undefined;
  /** Expired access token for this environment. */
  expiredToken?: string | undefined;
  /** Service that these credentials may not call. */
  forbiddenService?: string | undefined;
  /** IDs of rules, sentences, transactions and workflows, or how they begin. Default: all. */
  only?: string[] | undefined;
  /** Failures to accept. */
  known?: KnownFailure[] | undefined;
  /** Store no files; call delete and copy only for missing files. Default: false. */
  readOnly?: boolean | undefined;
  /** Maximum duration in seconds; remaining checks are skipped. Default: 900. */
  budget?: number | undefined;
  /** CA certificates (PEM) to trust instead of the default ones. */
  ca?: string | undefined;
  /** How long to wait for a response, in seconds. Default: 10. */
  timeout?: number | undefined;
  /** Number of checks to run in parallel. Default: 4. */
  concurrency?: number | undefined;
  /** Maximum number of calls per second. Default: no limit. */
  rate?: number | undefined;
  /** Where storage requests have fields. Default: detected. */
  requestForm?: RequestForm | undefined;
  /** Unit of `maxAge`. Default: `s`. */
  maxAgeUnit?: 'ms' | 's' | 'min' | undefined;
  /** Minimum lifetime of a link, in seconds. Default: 60. */
  minLinkSeconds?: number | undefined;
  /** Service name in signatures. Default: that of the contract. */
  tc3Service?: string | undefined;
  /** Host in storage signatures. Default: that of the contract. */
  storageSigningHost?: string | undefined;
  /** Repeats the sequences of an earlier run. Default: random. */
  seed?: number | undefined;
  /** Number of generated sequences. Default: 5. */
  sequences?: number | undefined;
  /** Stops the run: open requests are aborted, and stored files are removed. */
  signal?: AbortSignal | undefined;
  /**
   * Called when a check, a transaction or a workflow has ended, or is skipped. The end of the run may still change its
   * outcome.
   */
  onCheck?: ((check: EndedCheck) => void) | undefined;
  /** Called with notices that are not results, such as a wait or a failed clean-up. */
  onNotice?: ((text: string) => void) | undefined;
}

type EndedCheck = Pick<CheckResult, 'sentence' | 'outcome'> & { caseId: string };

export type OptionName = Exclude<keyof ConformanceOptions, 'signal' | 'onCheck' | 'onNotice'>;

type Shape = { [Name in OptionName]-?: z.ZodType<unknown, ConformanceOptions[Name]> };

const { signature } = defaults;

/** Each message continues a sentence that begins with the option, and contains no value that may be a credential. */
const text = z.string('must be a string').min(1, 'must not be empty');

/** What Node sends as a header value, and as a name. */
const VALUE = /^[\t -~\x80-\xff]*$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const headerValue = text.regex(VALUE, 'must be a valid header value');

const host = text.refine(
  (value) => /^[^\s/?#@]+$/.test(value) && URL.canParse(`http://${value}`),
  'must be a host',
);

/** RFC 3986, section 3.3, without escapes. */
const segment = text.regex(/^[\w.~!$&'()*+,;=:@-]+$/, 'must be a segment of a URL path');

const url = text
  .refine(isBaseUrl, 'must be an http or https URL without credentials, query and fragment')
  .transform((base) => new URL(base).href.replace(/\/+$/, ''));

const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
};

const DURATION = 'must be a number from 0.001 to 3600';

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

const idText = z.string().min(1);

const selected = idText.refine(selectsAny, {
  error: ({ input }) => `contains ${input}, but no ID begins with that; see --list`,
});

const knownFailure = z.strictObject({
  id: idText.refine((id) => IDS.has(id), {
    error: ({ input }) => `contains ${input}, which is not a valid ID; see --list`,
  }),
  reason: z.string().optional(),
  until: z.iso
    .date({ error: ({ input }) => `contains ${input}, which is not a date such as 2027-03-31` })
    .optional(),
  flaky: z.boolean().optional(),
});

/** The options of a run. `HELP` in `read-options.ts` describes those of the command. */
export const schema = z.strictObject({
  gatewayUrl: url.optional(),
  gatewayHost: host.optional(),
  storageUrl: url.optional(),
  env: segment.default('dev'),
  service: segment.default('conformance'),
  wireProfile: profile.prefault({}),

  gatewayToken: headerValue.optional(),
  tc3SecretId: headerValue.optional(),
  tc3SecretKey: text.optional(),
  tc3Token: headerValue.optional(),
  storageHeaders: z.record(z.string().regex(NAME), z.string().regex(VALUE)).default({}),
  otherEnvToken: headerValue.optional(),
  expiredToken: headerValue.optional(),
  forbiddenService: segment.optional(),

  only: z.array(selected).min(1, 'must not be empty').default([]),
  known: z.array(knownFailure).default([]),
  readOnly: z.boolean().default(false),

  budget: integer(1, 86_400).default(900),
  ca: text.optional(),
  timeout: z.number(DURATION).min(0.001, DURATION).max(3600, DURATION).default(10),
  concurrency: integer(1, 64).default(4),
  rate: integer(1, 1000).optional(),
  requestForm: choice(REQUEST_FORMS).optional(),
  maxAgeUnit: choice(['ms', 's', 'min']).default('s'),
  minLinkSeconds: integer(1, 60).default(60),
  tc3Service: headerValue.default(signature.service),
  storageSigningHost: text.default(signature.storageSigningHost),
  seed: integer(-(2 ** 31), 2 ** 31 - 1).optional(),
  sequences: integer(1, 100_000).default(5),
} satisfies Shape);

/** The messages of options whose schemas have none. */
const MESSAGES: Partial<Record<PropertyKey, string>> = {
  storageHeaders: 'must have valid names and values',
  only: 'must be an array of IDs',
  known: 'must be an array of { id, reason, until, flaky }',
  readOnly: 'must be true or false',
};

/** The options that are or contain credentials, which no report shows. */
export const SECRETS = [
  'gatewayToken',
  'tc3SecretKey',
  'tc3Token',
  'storageHeaders',
  'otherEnvToken',
  'expiredToken',
] as const satisfies OptionName[];

/** Returns the environment variable for an option. For a list, each header is an option of its own. */
export function toVariable(name: string): string {
  return `BERTH_${toSingle(name).replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

export function toFlag(name: string): string {
  return `--${toSingle(name).replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`;
}

/** Returns the name of an option in the singular: on the command line, each header of a list is a flag of its own. */
export const toSingle = (name: string): string => name.replace(/Headers$/, 'Header');

/** The options that a command which repeats a check must not contain, does not need, or has anyway. */
const OMITTED: string[] = [
  ...SECRETS,
  'only',
  'known',
  'seed',
  'budget',
  'list',
  'report',
  'quiet',
  'verbose',
];

/** Returns the flags for a command that repeats a check. Values without a text are left out, such as a wire profile. */
export function toFlags(values: object): string[] {
  const entries = Object.entries(values).filter(([name]) => !OMITTED.includes(name));
  return entries.flatMap(([name, value]) => {
    if (value === true) return [toFlag(name)];
    const isText = typeof value === 'string' || typeof value === 'number';
    return isText ? [toFlag(name), String(value)] : [];
  });
}

export type Settings = ReturnType<typeof toSettings>;

/** Returns which options provide each kind of credentials, by the names that the user knows. */
export const nameCredentials = ({ nameOf }: Settings): Record<CredentialKind, string> => ({
  bearer: nameOf('gatewayToken'),
  signature: `${nameOf('tc3SecretId')} and ${nameOf('tc3SecretKey')}`,
  gateway: `${nameOf('gatewayToken')} or ${nameOf('tc3SecretId')}`,
  storage: `${nameOf('storageHeaders')} or ${nameOf('tc3SecretId')}`,
});

export function createRedactor(settings: Settings): Redactor {
  const headers = Object.values(settings.wireProfile.storageHeaders);
  const redactor = new Redactor(['authorization', 'proxy-authorization', ...headers]);
  for (const option of SECRETS) {
    const secret = settings[option] ?? {};
    if (typeof secret === 'string') redactor.addOption(secret, toVariable(option));
    else for (const header of Object.entries(secret)) redactor.addHeader(...header);
  }
  return redactor;
}

/** URL for an API that is not checked and never called. */
const UNUSED_URL = 'http://nowhere.invalid';

const noop = () => {};

/**
 * @param nameOf returns the name under which the user has set an option
 * @param flags those of a command that repeats a check
 */
export function toSettings(
  { signal, onCheck = noop, onNotice = noop, ...options }: ConformanceOptions,
  nameOf: (option: OptionName) => string = (option) => option,
  // The certificates of a program are in no file.
  flags: readonly string[] = toFlags({ ...options, ca: undefined }),
) {
  const data = parseOptions(options, nameOf);
  const apis = APIS.filter((api) => data[`${api}Url`] !== undefined);
  if (apis.length === 0) {
    throw new OptionError(`Set ${nameOf('gatewayUrl')}, ${nameOf('storageUrl')}, or both.`);
  }
  return {
    ...data,
    /** Which APIs to check: those that have a URL. */
    apis,
    gatewayUrl: data.gatewayUrl ?? UNUSED_URL,
    storageUrl: data.storageUrl ?? UNUSED_URL,
    timeoutMs: 1000 * data.timeout,
    seed: data.seed ?? Math.floor(Math.random() * 2 ** 31),
    tc3: toKeyPair(data, nameOf),
    nameOf,
    flags,
    signal,
    // Without findings, whose credentials are only redacted in reports.
    onCheck: ({ case: { id: caseId }, sentence, outcome }: CheckResult) => {
      if (outcome !== 'disabled') onCheck({ caseId, sentence, outcome });
    },
    onNotice,
  };
}

/** @throws StartError with the first invalid option */
export function parseOptions(input: object, nameOf: (option: OptionName) => string) {
  const { success, data, error } = schema.safeParse(input, {
    error: ({ path: [option = ''] = [] }) => MESSAGES[option],
  });
  if (success) {
    const { only, ...others } = data;
    return { ...others, selects: createSelection(only) };
  }
  const [{ path = [], message = '' } = {}] = error.issues;
  const options = (path.slice(0, 1) as OptionName[]).map(nameOf);
  throw new OptionError(`${[...options, message].join(' ')}.`);
}

function toKeyPair(
  data: Omit<z.output<typeof schema>, 'only'>,
  nameOf: (option: OptionName) => string,
) {
  const { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token: token } = data;
  if (secretId !== undefined && secretKey !== undefined) {
    const { tc3Service: service, storageSigningHost } = data;
    return { secretId, secretKey, token, service, storageSigningHost };
  }
  if ((secretId ?? secretKey ?? token) === undefined) return undefined;
  const names = `${nameOf('tc3SecretId')} and ${nameOf('tc3SecretKey')}`;
  throw new OptionError(`${names} must be set together.`);
}

function isBaseUrl(base: string): boolean {
  const url = URL.parse(base);
  const isPlain = url && url.username + url.password + url.search + url.hash === '';
  // A URL whose query or fragment is empty has neither, but `href` keeps their marks.
  return isPlain === true && !/[?#]/.test(base) && /^https?:$/.test(url?.protocol ?? '');
}
