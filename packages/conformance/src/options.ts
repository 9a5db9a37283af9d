import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { APIS, type Api } from './contract/openapi.ts';
import { type Result, StartError } from './result.ts';

/** The forms of a storage request, whose fields are at the top level of the body or inside `data` (D21). */
export const REQUEST_FORMS = ['top', 'data'] as const;

export type RequestForm = (typeof REQUEST_FORMS)[number];

/**
 * The ranges of options with integer values. All times are below 24 days, because Node's timers fire
 * immediately if their delay is longer.
 */
export const RANGES = {
  timeout: { unit: 'milliseconds', least: 1, most: 3_600_000, usual: 10_000 },
  budget: { unit: 'seconds', least: 1, most: 86_400, usual: 900 },
  minLinkSeconds: { unit: 'seconds', least: 1, most: 100, usual: 60 },
  concurrency: { unit: 'checks', least: 1, most: 64, usual: undefined },
  sequences: { unit: 'sequences', least: 1, most: 100_000, usual: undefined },
} as const;

/** The spellings of copy paths: with a leading `/`, or without (D24). */
export type CopyPaths = WireProfile['copyPaths'];

/** URL for an API that is not checked and never called. */
const NOWHERE = 'http://nowhere.invalid';

type MaxAgeUnit = 'ms' | 's' | 'min';

/** A failing result that the operator accepts for now. */
export interface KnownFailure {
  /** ID of the result, or of a rule: `GW-C1`. */
  id: string;
  /** Why it is accepted. */
  reason?: string | undefined;
  /** The last day on which it is accepted, in UTC: `2027-03-31`. Default: no end. */
  expires?: string | undefined;
}

/** Options for a run: what to check, and with which credentials. */
export interface ConformanceOptions {
  /**
   * Base URL of the gateway, such as `https://dev.gateway.example`. If omitted, the gateway is not checked.
   */
  gatewayUrl?: string | undefined;
  /** Base URL of the storage API, without `/api/v2`. If omitted, the storage API is not checked. */
  storageUrl?: string | undefined;
  /** `Host` header for gateway calls, if the host of the URL does not name the environment. */
  gatewayHost?: string | undefined;
  /** Environment for storage calls. Default: `dev`. */
  env?: string | undefined;
  /** Name under which the fixture service is deployed. Default: `conformance`. */
  service?: string | undefined;
  /** Name of a service that this caller may not call, for `GW-ERROR-FORBIDDEN`. */
  forbiddenService?: string | undefined;
  /** Access token for gateway calls, without `Bearer`. */
  gatewayToken?: string | undefined;
  /** Valid access token from another environment, for `AU-BEARER-ENV`. */
  otherEnvToken?: string | undefined;
  /** Access token for this environment that is valid except that it has expired, for `AU-REJECTED`. */
  expiredToken?: string | undefined;
  /** Key pair for version 3 signatures of gateway calls, and of storage calls without `storageHeaders`. */
  tc3?:
    | {
        secretId: string;
        secretKey: string;
        /** Session token of temporary credentials. */
        token?: string | undefined;
        /** Service name in the credential scope. Default: the contract's default. */
        service?: string | undefined;
        /** Constant host for which storage calls are signed. Default: the contract's default. */
        storageSigningHost?: string | undefined;
      }
    | undefined;
  /** Headers to send with storage calls, unchanged. All of them are treated as secrets. */
  storageHeaders?: Record<string, string> | undefined;
  /** The names and forms that the deployment uses. Default: the contract's. */
  wireProfile?: WireProfileInput | undefined;
  /**
   * Where storage requests put their fields: at the `top` level of the body, or inside `data`. Default:
   * whichever the deployment accepts, detected with a call that stores nothing.
   */
  requestForm?: RequestForm | undefined;
  /** Unit of `maxAge`. Default: `s`. */
  maxAgeUnit?: MaxAgeUnit | undefined;
  /**
   * Lifetime that the deployment may give to a link instead of a shorter one, in seconds, 1 to 100. Default: 60.
   */
  minLinkSeconds?: number | undefined;
  /** Check only these: rule IDs or prefixes (`GW-C`, `ST-COPY`). Default: all. */
  only?: readonly string[] | undefined;
  /** Skip these, in the same form as `only`. They are reported as disabled. */
  skip?: readonly string[] | undefined;
  /** Send no request that stores, changes or deletes a file. Default: false. */
  readOnly?: boolean | undefined;
  /** CA certificates (PEM) to trust instead of the default ones. */
  ca?: string | undefined;
  /** How long to wait for a response, in milliseconds, at most an hour. Default: 10000. */
  timeout?: number | undefined;
  /** Maximum duration of the run, in seconds; remaining checks are skipped. Default: 900. */
  budget?: number | undefined;
  /**
   * Number of checks to run in parallel, 1 to 64. Default: 8, or 32 if the target's fastest call takes 100
   * ms.
   */
  concurrency?: number | undefined;
  /**
   * Seed for generated sequences; the same seed makes the same ones. Default: random, included in the
   * report.
   */
  seed?: number | undefined;
  /**
   * Number of generated sequences of storage calls for `ST-SEQUENCE`, 1 to 100000. Default: 25, or as many as
   * start within 30 s.
   */
  sequences?: number | undefined;
  /** Known failures, by ID. They do not affect the exit code unless one passes or has expired. */
  baseline?: readonly (string | KnownFailure)[] | undefined;
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
  maxAgeUnit: 's',
  minLinkSeconds: RANGES.minLinkSeconds.usual,
  only: [],
  skip: [],
  readOnly: false,
  timeout: RANGES.timeout.usual,
  budget: RANGES.budget.usual,
  baseline: [],
  onResult: () => {},
  onNotice: () => {},
} satisfies ConformanceOptions;

/** The allowed values of options that have only a few. */
export const CHOICES = {
  requestForm: REQUEST_FORMS,
  maxAgeUnit: ['ms', 's', 'min'],
} satisfies { [Name in keyof ConformanceOptions]: readonly ConformanceOptions[Name][] };

type Defaulted = keyof typeof DEFAULTS | 'gatewayUrl' | 'storageUrl' | 'seed';

type Tc3Options = NonNullable<ConformanceOptions['tc3']>;

/** The options with their defaults. */
export type Settings = {
  [Name in Exclude<Defaulted, 'baseline'>]: NonNullable<ConformanceOptions[Name]>;
} & Omit<ConformanceOptions, Defaulted | 'tc3' | 'wireProfile'> & {
    wireProfile: WireProfile;
    baseline: readonly KnownFailure[];
    /** Which APIs to check: those that have a URL. */
    apis: readonly Api[];
    tc3?: (Tc3Options & { service: string; storageSigningHost: string }) | undefined;
  };

/**
 * Fills in the defaults.
 *
 * @throws StartError that names the invalid option, but never its value, which may be a credential
 */
export function toSettings(options: ConformanceOptions): Settings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const all: typeof DEFAULTS & ConformanceOptions = { ...DEFAULTS, ...Object.fromEntries(given) };
  assertValues(all);
  const { gatewayUrl, storageUrl, tc3 } = all;
  const apis = APIS.filter((api) => all[`${api}Url`] !== undefined);
  if (apis.length === 0) throw new StartError('gatewayUrl and storageUrl are missing.');
  const { service, storageSigningHost } = defaults.signature;
  return {
    ...all,
    apis,
    gatewayUrl: toBaseUrl(gatewayUrl ?? NOWHERE, 'gatewayUrl'),
    storageUrl: toBaseUrl(storageUrl ?? NOWHERE, 'storageUrl'),
    seed: toSeed(all.seed),
    wireProfile: toProfile(all.wireProfile),
    baseline: all.baseline.map(toKnownFailure),
    tc3: tc3 && {
      ...tc3,
      service: tc3.service ?? service,
      storageSigningHost: tc3.storageSigningHost ?? storageSigningHost,
    },
  };
}

function assertValues(options: typeof DEFAULTS & ConformanceOptions): void {
  const { env, service } = options;
  if (env === '' || service === '') {
    throw new StartError('env and service must not be empty.');
  }
  for (const [option, allowed] of Object.entries<readonly unknown[]>(CHOICES)) {
    const value = options[option as keyof typeof CHOICES];
    if (value === undefined || allowed.includes(value)) continue;
    throw new StartError(`${option} must be ${allowed.join(' or ')}.`, option);
  }
  for (const [option, { unit, least, most }] of Object.entries(RANGES)) {
    const { [option as keyof typeof RANGES]: value = least } = options;
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    const range = `${unit} from ${least} to ${most}`;
    throw new StartError(`${option} must be a whole number of ${range}.`, option);
  }
}

/**
 * Checks a known failure.
 *
 * @throws StartError if its date is not a date
 */
function toKnownFailure(entry: string | KnownFailure): KnownFailure {
  if (typeof entry === 'string') return { id: entry };
  const { id, expires = '2027-03-31' } = entry;
  if (/^\d{4}-\d\d-\d\d$/.test(expires) && !Number.isNaN(Date.parse(expires))) return entry;
  throw new StartError(
    `baseline: expires in the entry for ${id} must be a date such as 2027-03-31.`,
    'baseline',
  );
}

function toProfile(input: WireProfileInput | undefined): WireProfile {
  try {
    return toWireProfile(input);
  } catch (error) {
    throw new StartError((error as Error).message, 'wireProfile');
  }
}

function toSeed(seed = Math.floor(Math.random() * 2 ** 31)): number {
  if (Number.isInteger(seed) && seed >= -(2 ** 31) && seed < 2 ** 31) return seed;
  throw new StartError('seed must be a 32-bit integer.', 'seed');
}

function toBaseUrl(value: string, option: string): string {
  const url = toUrl(value, option);
  if (url.username || url.password || url.search || url.hash) {
    throw new StartError(`${option} must not contain credentials, a query or a fragment.`, option);
  }
  return url.href.replace(/\/+$/, '');
}

function toUrl(value: string, option: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new StartError(`${option} must be an http or https URL.`, option);
}
