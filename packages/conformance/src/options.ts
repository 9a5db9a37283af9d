import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { APIS, type Api } from './contract/openapi.ts';
import { type Result, StartError } from './result.ts';

/** The forms of a storage request, whose fields are at the top level of the body or inside `data` (D21). */
export const REQUEST_FORMS = ['top', 'data'] as const;

export type RequestForm = (typeof REQUEST_FORMS)[number];

export const MAX_AGE_UNITS = ['ms', 's', 'min'] as const;

/** The options that are integers, with their minimum and maximum. */
export const RANGES = {
  budget: [1, 86_400],
  timeout: [1, 3_600_000],
  concurrency: [1, 64],
  rate: [1, 1000],
  minLinkSeconds: [1, 100],
  seed: [-(2 ** 31), 2 ** 31 - 1],
  sequences: [1, 100_000],
} as const;

/** The forms of copy paths: with a leading `/`, or without (D24). */
export type CopyPaths = WireProfile['copyPaths'];

/** A failure that the operator accepts for now. */
export interface KnownFailure {
  /** ID of a rule (`GW-HEADERS`), of a sentence (`GW-HEADERS/3`), of a transaction or of a workflow. */
  id: string;
  /** Why it is accepted. */
  reason?: string | undefined;
  /** The last day on which it is accepted, in UTC: `2027-03-31`. Default: no end. */
  expires?: string | undefined;
  /** Whether it may also pass. Default: false, so that a run fails if it passes. */
  flaky?: boolean | undefined;
}

/** Options for a run: what to check, and with which credentials. The options of the command have the same names. */
export interface ConformanceOptions {
  /** Base URL of the gateway, such as `https://dev.gateway.example`. Default: the gateway is not checked. */
  gatewayUrl?: string | undefined;
  /** `Host` header for gateway calls, whose first label is the environment. Default: the host of the URL. */
  gatewayHost?: string | undefined;
  /** Base URL of the storage API, without `/api/v2`. Default: the storage API is not checked. */
  storageUrl?: string | undefined;
  /** Environment for storage calls. Default: `dev`. */
  env?: string | undefined;
  /** Name under which the fixture service is deployed. Default: `conformance`. */
  service?: string | undefined;
  /** The names and forms that the deployment uses. Default: the contract's. */
  wireProfile?: WireProfileInput | undefined;
  /** Access token for gateway calls, without `Bearer`. */
  gatewayToken?: string | undefined;
  /** Key pair that signs gateway calls, and storage calls without `storageHeaders`. */
  tc3?:
    | {
        secretId: string;
        secretKey: string;
        /** Session token of temporary credentials. */
        token?: string | undefined;
        /** Service name in the credential scope. Default: the contract's. */
        service?: string | undefined;
        /** Constant host for which storage calls are signed. Default: the contract's. */
        storageSigningHost?: string | undefined;
      }
    | undefined;
  /** Headers to send with storage calls, unchanged. All of them are treated as secrets. */
  storageHeaders?: Record<string, string> | undefined;
  /** Valid access token from another environment, which the gateway must reject. */
  otherEnvToken?: string | undefined;
  /** Access token for this environment that is valid except that it has expired. */
  expiredToken?: string | undefined;
  /** Name of a service that this caller may not call. */
  forbiddenService?: string | undefined;
  /** Check only these: IDs of rules or sentences, or prefixes (`GW-C`, `ST-COPY`). Default: all. */
  only?: readonly string[] | undefined;
  /** Skip these, in the same form as `only`. They are reported as disabled. */
  skip?: readonly string[] | undefined;
  /** Failures that do not affect the exit code, unless one passes or has expired. */
  known?: readonly KnownFailure[] | undefined;
  /** Send no request that stores, changes or deletes a file. Default: false. */
  readOnly?: boolean | undefined;
  /** Maximum duration of the run, in seconds, 1 to 86400; remaining checks are skipped. Default: 900. */
  budget?: number | undefined;
  /** CA certificates (PEM) to trust instead of the default ones. */
  ca?: string | undefined;
  /** How long to wait for a response, in milliseconds, 1 to 3600000. Default: 10000. */
  timeout?: number | undefined;
  /** Number of checks to run in parallel, 1 to 64. Default: 4. */
  concurrency?: number | undefined;
  /** Maximum number of calls per second, 1 to 1000. Default: no limit. */
  rate?: number | undefined;
  /** Where storage requests put their fields. Default: detected with a call that stores nothing. */
  requestForm?: RequestForm | undefined;
  /** Unit of `maxAge`. Default: `s`. */
  maxAgeUnit?: (typeof MAX_AGE_UNITS)[number] | undefined;
  /** Lifetime that the deployment may give to a link instead of a shorter one, in seconds, 1 to 100. Default: 60. */
  minLinkSeconds?: number | undefined;
  /** Seed for generated sequences; the same seed makes the same ones. Default: random, included in the report. */
  seed?: number | undefined;
  /** Number of generated sequences of storage calls, 1 to 100000. Default: 5. */
  sequences?: number | undefined;
  /** Stops the run: open requests are aborted, and stored files are removed. */
  signal?: AbortSignal | undefined;
  /** Called with each result as soon as it is known. */
  onResult?: ((result: Result) => void) | undefined;
  /** Called with notices that are not results, such as a wait or a failed clean-up. */
  onNotice?: ((text: string) => void) | undefined;
}

/** The defaults of the options that have one. */
export const DEFAULTS = {
  env: 'dev',
  service: 'conformance',
  storageHeaders: {},
  only: [],
  skip: [],
  known: [],
  readOnly: false,
  budget: 900,
  timeout: 10_000,
  concurrency: 4,
  sequences: 5,
  maxAgeUnit: 's',
  minLinkSeconds: 60,
  onResult: () => {},
  onNotice: () => {},
} satisfies ConformanceOptions;

const { signature } = defaults;

type Defaulted = keyof typeof DEFAULTS;

type Tc3Options = NonNullable<ConformanceOptions['tc3']>;

/** The options with their defaults. */
export type Settings = Omit<ConformanceOptions, Defaulted | 'tc3' | 'wireProfile'> & {
  [Name in Defaulted]: NonNullable<ConformanceOptions[Name]>;
} & {
  /** Which APIs to check: those that have a URL. */
  apis: readonly Api[];
  gatewayUrl: string;
  storageUrl: string;
  seed: number;
  wireProfile: WireProfile;
  tc3?: (Tc3Options & { service: string; storageSigningHost: string }) | undefined;
};

/** URL for an API that is not checked and never called. */
const NOWHERE = 'http://nowhere.invalid';

/**
 * Validates the options, and fills in the defaults.
 *
 * @throws StartError that names the invalid option
 */
export function toSettings(options: ConformanceOptions): Settings {
  const apis = APIS.filter((api) => options[`${api}Url`] !== undefined);
  if (apis.length === 0) throw new StartError('gatewayUrl and storageUrl are missing.');
  const { gatewayUrl = NOWHERE, storageUrl = NOWHERE, known = [], tc3 } = options;
  for (const { id, expires } of known) {
    if (expires === undefined) continue;
    if (/^\d{4}-\d\d-\d\d$/.test(expires) && !Number.isNaN(Date.parse(expires))) continue;
    throw new StartError(`known: ${id} must expire on a date such as 2027-03-31.`);
  }
  for (const name of Object.keys(RANGES) as (keyof typeof RANGES)[]) {
    const { [name]: value } = options;
    if (value !== undefined) validate(name, () => toInteger(value, RANGES[name]));
  }
  const defined = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  return {
    ...DEFAULTS,
    ...defined,
    apis,
    gatewayUrl: validate('gatewayUrl', () => toBaseUrl(gatewayUrl)),
    storageUrl: validate('storageUrl', () => toBaseUrl(storageUrl)),
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    wireProfile: validate('wireProfile', () => toWireProfile(options.wireProfile)),
    tc3: tc3 && {
      ...tc3,
      service: tc3.service ?? signature.service,
      storageSigningHost: tc3.storageSigningHost ?? signature.storageSigningHost,
    },
  };
}

function validate<Value>(name: string, convert: () => Value): Value {
  try {
    return convert();
  } catch (error) {
    throw new StartError(`${name} ${(error as Error).message}.`);
  }
}

/**
 * Returns a number that is an integer within a range.
 *
 * @throws Error whose message continues a sentence that begins with the name of the option
 */
export function toInteger(value: number, [min, max]: readonly [min: number, max: number]): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`must be an integer from ${min} to ${max}`);
}

/**
 * Returns a URL without slashes at its end.
 *
 * @throws Error whose message continues a sentence that begins with the name of the option, and never contains the URL
 */
export function toBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url && url.username + url.password + url.search + url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new Error('must be an http or https URL without credentials, query and fragment');
}

/**
 * Returns why the operator left something out.
 *
 * @param ids its ID, and that of its engine
 */
export function whyLeftOut(
  ids: readonly string[],
  { only = [], skip = [] }: Pick<ConformanceOptions, 'only' | 'skip'>,
): string | undefined {
  const isNamed = (names: readonly string[]) =>
    names.some((name) => ids.some((id) => id.startsWith(name)));
  if (only.length > 0 && !isNamed(only)) return 'not in --only';
  return isNamed(skip) ? '--skip' : undefined;
}
