import { CHANGING_OPERATIONS, STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import type { Caller } from '../http/caller.ts';
import {
  type Call,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { CopyPaths, RequestForm } from '../options.ts';
import { SkipError } from '../result.ts';
import { type Entry, readReply, type StorageReply } from '../validation/read-storage.ts';
import type { Run } from './run.ts';

export type { Entry, StorageReply };
export { STORAGE_OPERATIONS };

export type StorageOperation = (typeof STORAGE_OPERATIONS)[number];

/** Returns whether an operation changes files, so that it is not called with `--read-only`. */
export function changesFiles(operation: string): boolean {
  return (CHANGING_OPERATIONS as readonly string[]).includes(operation);
}

/** Options that make a storage call differ from a regular one. */
export interface StorageCallOptions {
  /** Default: POST. */
  method?: string;
  /** Default: the run's environment. */
  env?: string;
  /** `valid` (default), `none`, or exactly these headers. Except with `valid`, a refusal is returned. */
  credentials?: 'valid' | 'none' | HeaderInput;
  headers?: HeaderInput;
  /** Send the fields in the other form, which the deployment may also accept (D21). */
  isOtherForm?: boolean;
  /** The complete body, instead of the fields as JSON. */
  body?: string | Uint8Array;
  /** The query, without its question mark. */
  query?: string;
  /** Return 401 and 403 even with valid credentials. */
  acceptsRefusal?: boolean;
}

export type StorageClient = ReturnType<typeof createStorageClient>;

/** Creates a client for the storage API. Its paths are in `folder`. */
export function createStorageClient(run: Run, caller: Caller, folder: string) {
  const { settings, secrets } = run;

  /**
   * Makes a storage call and returns any response. The fields are sent in the form that the deployment
   * accepts.
   */
  async function call(
    operation: StorageOperation | (string & {}),
    fields: object,
    options: StorageCallOptions = {},
  ): Promise<StorageReply> {
    const exchange = await caller.call(toStorageCall(run, operation, fields, options));
    const reply = readReply(exchange, settings.wireProfile.envelope);
    secrets.addGrant(reply.data);
    const { status } = exchange.received;
    const isValid = (options.credentials ?? 'valid') === 'valid' && !options.acceptsRefusal;
    if (!isValid || (status !== 401 && status !== 403)) return reply;
    // That proves nothing about the rule.
    const reason = `rejected the credentials with ${status}, although it accepted them before`;
    throw new SkipError(`the storage API ${reason}`);
  }

  /** Makes a call for a list and reads its entries. If that fails, the check is skipped. */
  async function listReply(
    operation: StorageOperation,
    fileList: readonly unknown[],
  ): Promise<{ reply: StorageReply; entries: Entry[] }> {
    const reply = await call(operation, { fileList });
    const { entries } = reply;
    if (entries?.length === fileList.length) return { reply, entries };
    throw new SkipError(
      `${operation} responded with ${reply.received.status} without an entry for each of the ${fileList.length} items`,
    );
  }

  return {
    call,
    listReply,

    /** Like `listReply`, but returns only the entries. */
    async list(operation: StorageOperation, fileList: readonly unknown[]): Promise<Entry[]> {
      return (await listReply(operation, fileList)).entries;
    },

    /** Returns the body of a call as JSON, in the form that the deployment accepts, or in the other one. */
    body: (fields: unknown, isOtherForm = false) => toBody(run, fields, isOtherForm),

    /** Returns a cloud path that only this check uses, without a leading `/`. */
    path: (name: string) => `${folder}/${name}`,

    /** Returns a cloud path as copy calls spell it: with a leading `/` if the deployment accepts that (D24). */
    copyPath: (path: string, spelling: CopyPaths = run.copyPaths) =>
      spelling === 'absolute' ? `/${path}` : path,

    /** Converts seconds to the unit of `--max-age-unit`. */
    maxAge: (seconds: number) =>
      Math.ceil(seconds * { ms: 1000, s: 1, min: 1 / 60 }[settings.maxAgeUnit]),

    /** Returns the headers that `valid` credentials currently add to a call. */
    credentials: async (): Promise<HeaderList> => run.signers.storage?.() ?? [],
  };
}

/** Creates a call with the address of an operation, a JSON body and credentials. */
export function toStorageCall(
  run: Run,
  operation: string,
  fields: object,
  options: StorageCallOptions = {},
): Call {
  const { settings, signers } = run;
  const { method = 'POST', env = settings.env, credentials = 'valid', query } = options;
  const { origin, pathname } = new URL(settings.storageUrl);
  const text = method === 'GET' ? '' : toBody(run, fields, options.isOtherForm);
  const body = Buffer.from(options.body ?? text);
  const path = `${pathname.replace(/\/+$/, '')}/api/v2/envs/${env}/storages:${operation}`;
  const target = query === undefined ? path : `${path}?${query}`;
  const type: HeaderList = method === 'GET' ? [] : [['Content-Type', 'application/json']];
  const added = credentials === 'none' ? [] : credentials;
  const signed = added === 'valid' ? (signers.storage?.() ?? []) : toHeaderList(added);
  const headers = withHeaders(withHeaders(type, toHeaderList(options.headers)), signed);
  return { method, origin, target, headers, body };
}

function toBody({ requestForm }: Run, fields: unknown, isOtherForm = false): string {
  const isTop = (requestForm === 'top') !== isOtherForm;
  return JSON.stringify(toForm(fields, isTop ? 'top' : 'data'));
}

/** Returns the body of a storage request with these fields. */
export function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}
