import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import {
  toWireProfile,
  type WireProfile,
  WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
import { z } from 'zod';
import { APIS, type Api } from './contract/openapi.ts';
import { rules } from './contract/rules.ts';
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

/** A failure that the operator accepts for now. */
const knownFailure = z.strictObject({
  /** ID of a rule (`GW-HEADERS`), of a sentence (`GW-C2/1`), of a transaction or of a workflow. */
  id: text,
  /** Why it is accepted. */
  reason: z.string().optional(),
  /** The last day on which it is accepted, in UTC: `2027-03-31`. Default: no end. */
  expires: z.iso
    .date({ error: ({ input }) => `contains ${input}, which is not a date such as 2027-03-31` })
    .optional(),
  /** Whether it may also pass. Default: false, so that a run fails if it passes. */
  flaky: z.boolean().optional(),
});

/** A credential, which no report shows. */
const credential = (description: string) => text.optional().meta({ description, isSecret: true });

/**
 * The options of a run, with the descriptions that the help of the command shows. It describes `--storage-header` itself.
 */
export const schema = z.strictObject({
  gatewayUrl: url.optional().describe('base URL of the gateway (default: it is not checked)'),
  gatewayHost: text
    .optional()
    .describe('Host header, which names the environment (default: in the URL)'),
  storageUrl: url
    .optional()
    .describe('base URL of the storage API, without /api/v2 (default: it is not checked)'),
  env: text.default('dev').describe('environment for storage calls'),
  service: text.default('conformance').describe('name under which the fixture service is deployed'),
  wireProfile: profile
    .prefault({})
    .describe("wire profile of the deployment (default: the contract's names)"),

  gatewayToken: credential('access token for gateway calls'),
  tc3SecretId: text.optional().describe('ID of the key pair that signs gateway and storage calls'),
  tc3SecretKey: credential('secret key of the key pair'),
  tc3Token: credential('session token of a temporary key pair'),
  storageHeaders: z.record(z.string(), z.string()).default({}).meta({ isSecret: true }),
  otherEnvToken: credential('valid access token of another environment'),
  expiredToken: credential('expired access token of this environment'),
  forbiddenService: text.optional().describe('service that these credentials may not call'),

  only: z
    .array(text)
    .min(1, 'must not be empty')
    .default([])
    .describe('check only these rules, sentences or prefixes: GW-C1,ST-'),
  known: z
    .array(knownFailure)
    .default([])
    .describe('failures to accept, one a line: GW-C1 flaky until 2027-03-31 # reason'),
  readOnly: z
    .boolean()
    .default(false)
    .describe('send no request that stores, changes or deletes a file'),

  budget: integer(1, 86_400)
    .default(900)
    .describe('maximum duration; remaining checks are skipped'),
  ca: text.optional().describe('CA certificates (PEM) to trust instead of the default ones'),
  timeout: integer(1, 3_600_000)
    .default(10_000)
    .describe('how long to wait for a response, in milliseconds'),
  concurrency: integer(1, 64).default(4).describe('number of checks to run in parallel'),
  rate: integer(1, 1000).optional().describe('maximum number of calls per second'),
  requestForm: choice(REQUEST_FORMS)
    .optional()
    .describe('where storage requests have their fields, if not detected: top, data'),
  maxAgeUnit: choice(['ms', 's', 'min']).default('s').describe('unit of maxAge: ms, s, min'),
  minLinkSeconds: integer(1, 100).default(60).describe('minimum lifetime of a link'),
  tc3Service: text.default(signature.service).describe('service name in signatures'),
  storageSigningHost: text
    .default(signature.storageSigningHost)
    .describe('host in storage signatures'),
  seed: integer(-(2 ** 31), 2 ** 31 - 1)
    .optional()
    .describe('repeat the sequences of an earlier run'),
  sequences: integer(1, 100_000).default(5).describe('number of generated sequences'),
});

type Name = keyof typeof schema.shape;

/** The options whose values, or the values in them, are secret. */
export const SECRETS = (Object.keys(schema.shape) as Name[]).filter(
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

const IDS = new Set(rules.flatMap(({ id, sentences }) => [id, ...Object.keys(sentences)]));

/** Whether a name in `--only` selects an ID. A complete ID does not select longer ones: `GW-SSE`, `GW-SSE-UNBUFFERED`. */
const selects = (name: string, id: string) =>
  id === name || id.startsWith(IDS.has(name) ? `${name}/` : name);

/**
 * Returns why the operator left something out.
 *
 * @param ids its ID, and that of its engine
 */
export function whyLeftOut(
  ids: readonly string[],
  { only }: Pick<Settings, 'only'>,
): string | undefined {
  const isSelected = only.some((name) => ids.some((id) => selects(name, id)));
  return only.length === 0 || isSelected ? undefined : 'not in --only';
}
