import type { Caller } from '../http/caller.ts';
import {
  type Exchange,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { Envelope, RequestForm } from '../options.ts';
import { Unreached } from './endings.ts';
import type { Run } from './run.ts';

export const STORAGE_OPERATIONS = [
  'getUploadMetaData',
  'batchGetTempUrls',
  'batchDelete',
  'batchCopyFile',
] as const;

export type StorageOperation = (typeof STORAGE_OPERATIONS)[number];

/** What of a storage call is not as usual. */
export interface StorageCallOptions {
  /** Default: POST. */
  method?: string;
  /** Default: that of the run. */
  env?: string;
  /** `valid` (default), `none`, or exactly these headers. With anything but `valid` a refusal is an answer. */
  credentials?: 'valid' | 'none' | HeaderInput;
  headers?: HeaderInput;
  /** The whole body, instead of the fields as JSON. */
  body?: string | Uint8Array;
  /** The whole target instead of `/api/v2/envs/{env}/storages:{operation}`. */
  target?: string;
  /** Take 401 and 403 as answers, also with valid credentials. */
  acceptsRefusal?: boolean;
}

/** One entry of a `fileList` in an answer, whatever it holds. */
export type Entry = Record<string, unknown>;

export interface StorageTool {
  /**
   * Makes a storage call and takes the answer as it comes. The fields go in the form that the
   * deployment accepts.
   */
  call(
    operation: StorageOperation | (string & {}),
    fields: object,
    options?: StorageCallOptions,
  ): Promise<StorageReply>;
  /** Makes a call for a list and returns its entries; where that does not work, the check is not reached. */
  list(operation: StorageOperation, fileList: readonly unknown[]): Promise<Entry[]>;
  /** The body of a call as JSON, the fields in the form that the deployment accepts. */
  body(fields: unknown): string;
  /** A cloud path that is this check's own, without a leading `/`. */
  path(name: string): string;
  /** A cloud path as copy calls want it: absolute, unless `--copy-path relative`. */
  copyPath(path: string): string;
  /** A number of seconds in the unit of `--max-age-unit`. */
  maxAge(seconds: number): number;
  /** The headers that `valid` credentials put into a call now. */
  credentials(): Promise<HeaderList>;
}

export function createStorageTool(run: Run, caller: Caller, folder: string): StorageTool {
  const { settings } = run;
  const { origin, pathname } = new URL(settings.storageUrl);
  const base = pathname.replace(/\/+$/, '');

  const sign = async (
    credentials: NonNullable<StorageCallOptions['credentials']>,
    call: { method: string; url: string; headers: HeaderList; body: Buffer },
  ): Promise<HeaderList> => {
    if (credentials === 'none') return [];
    if (credentials === 'valid') return (await run.signers.storage?.(call)) ?? [];
    return toHeaderList(credentials);
  };

  const toBody: StorageTool['body'] = (fields) => JSON.stringify(toForm(fields, run.requestForm));

  const call: StorageTool['call'] = async (operation, fields, options = {}) => {
    const { method = 'POST', env = settings.env, credentials = 'valid' } = options;
    const body = Buffer.from(options.body ?? (method === 'GET' ? '' : toBody(fields)));
    const target = options.target ?? `${base}/api/v2/envs/${env}/storages:${operation}`;
    const type: HeaderList = method === 'GET' ? [] : [['Content-Type', 'application/json']];
    const headers = withHeaders(type, toHeaderList(options.headers));
    const unsigned = { method, url: origin + target, headers, body };
    const signed = withHeaders(headers, await sign(credentials, unsigned));
    const exchange = await caller.call({ method, origin, target, headers: signed, body });
    const reply = readReply(exchange, settings.envelope);
    run.secrets.addGrant(reply.data);
    assertAccepted(exchange, credentials === 'valid' && !options.acceptsRefusal);
    return reply;
  };

  return {
    call,
    async list(operation, fileList) {
      const { data, received } = await call(operation, { fileList });
      const entries = data?.fileList;
      if (Array.isArray(entries) && entries.length === fileList.length) return entries.map(Object);
      throw new Unreached(
        `${operation} answered ${received.status} without an entry for each of the ${fileList.length} items`,
      );
    },
    body: toBody,
    path: (name) => `${folder}/${name}`,
    copyPath: (path) => (settings.copyPath === 'absolute' ? `/${path}` : path),
    maxAge: (seconds) => Math.ceil(seconds * { ms: 1000, s: 1, min: 1 / 60 }[settings.maxAgeUnit]),
    credentials: () =>
      sign('valid', { method: 'POST', url: origin, headers: [], body: Buffer.alloc(0) }),
  };
}

/** Valid credentials that are refused half-way say nothing about the rule. */
function assertAccepted({ received }: Exchange, isValid: boolean): void {
  if (!isValid || (received.status !== 401 && received.status !== 403)) return;
  throw new Unreached(
    `the storage API refused the credentials with ${received.status}, though it took them before`,
  );
}

/** The body of a storage request whose fields are given. */
export function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}

/** The answer to a storage call, and what its envelope holds. Nothing of it has been checked. */
export interface StorageReply extends Exchange {
  /** The answer as JSON; `undefined` where it is no JSON object. */
  envelope: Record<string, unknown> | undefined;
  /** What holds `requestId`, `data`, `code`: `body` of the envelope, or the answer itself if it is flat. */
  body: Record<string, unknown> | undefined;
  data: Record<string, unknown> | undefined;
  code: string | undefined;
  /** Not 2xx, or a `code` without `data` (D30). */
  refused: boolean;
}

function readReply(exchange: Exchange, form: Envelope): StorageReply {
  const envelope = toObject(exchange.received.json);
  const body = form === 'flat' ? envelope : toObject(envelope?.body);
  const data = toObject(body?.data);
  const code = typeof body?.code === 'string' ? body.code : undefined;
  const { status } = exchange.received;
  const refused = status < 200 || status > 299 || (code !== undefined && data === undefined);
  return { ...exchange, envelope, body, data, code, refused };
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}
