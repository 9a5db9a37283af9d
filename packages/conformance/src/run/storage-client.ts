import { SkipError } from '../errors.ts';
import type { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import type { Caller } from '../http/caller.ts';
import {
  type Call,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import { readReply } from '../http/read-response.ts';
import type { CopyPaths, RequestForm } from '../options.ts';
import type { Run } from './run.ts';

export type StorageOperation = (typeof STORAGE_OPERATIONS)[number];

/** How a storage call differs from a regular one. */
export interface StorageCallOptions {
  method?: string;
  env?: string;
  /** Default: `valid`. Headers are sent instead of credentials. */
  credentials?: 'valid' | 'none' | HeaderInput;
  headers?: HeaderInput;
  /** Where the fields are (D21). Default: the form that the deployment accepts. */
  form?: RequestForm | undefined;
  body?: string;
  /** The query, without its question mark. */
  query?: string;
}

export type StorageClient = ReturnType<typeof createStorageClient>;

export function createStorageClient(run: Run, caller: Caller) {
  const { settings, secrets } = run;

  async function call(operation: string, fields: object, options: StorageCallOptions = {}) {
    const exchange = await caller.call(toStorageCall(run, operation, fields, options));
    const reply = readReply(exchange, settings.wireProfile.envelope);
    secrets.addGrant(reply.data);
    return reply;
  }

  return {
    call,

    /** Makes a call for a list. If the response does not have one entry per item, the check is skipped. */
    async list(operation: StorageOperation, fileList: readonly unknown[]) {
      const reply = await call(operation, { fileList });
      const { entries } = reply;
      if (entries?.length === fileList.length) return { ...reply, entries };
      const { status } = reply.received;
      throw new SkipError(`${operation} responded with ${status}, not with an entry for each item`);
    },

    /** Returns the body of a call as JSON, in the form that the deployment accepts. */
    body: (fields: unknown) => JSON.stringify(toForm(fields, run.deployment.requestForm)),

    /** Returns a cloud path as copy calls spell it: with a leading `/` if the deployment accepts that (D24). */
    copyPath: (path: string, spelling: CopyPaths = run.deployment.copyPaths) =>
      spelling === 'absolute' ? `/${path}` : path,

    /** Converts seconds to the unit of `--max-age-unit`. */
    maxAge: (seconds: number) =>
      Math.ceil(seconds * { ms: 1000, s: 1, min: 1 / 60 }[settings.maxAgeUnit]),

    /** Returns the headers that `valid` credentials currently add to a call. */
    credentials: (): HeaderList => run.signers.storage?.() ?? [],
  };
}

export function toStorageCall(
  { settings, signers, deployment }: Run,
  operation: string,
  fields: object,
  options: StorageCallOptions = {},
): Call {
  const { method = 'POST', env = settings.env, credentials = 'valid', query } = options;
  const { form = deployment.requestForm } = options;
  const { origin, pathname } = new URL(settings.storageUrl);
  const json = JSON.stringify(toForm(fields, form));
  const body = Buffer.from(options.body ?? (method === 'GET' ? '' : json));
  const path = `${pathname.replace(/\/+$/, '')}/api/v2/envs/${env}/storages:${operation}`;
  const url = origin + (query === undefined ? path : `${path}?${query}`);
  const type: HeaderList = method === 'GET' ? [] : [['Content-Type', 'application/json']];
  const added = credentials === 'none' ? [] : credentials;
  const signed = added === 'valid' ? (signers.storage?.() ?? []) : toHeaderList(added);
  const headers = withHeaders(withHeaders(type, toHeaderList(options.headers)), signed);
  return { method, url, headers, body };
}

/** Returns the body of a storage request with these fields. */
function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}
