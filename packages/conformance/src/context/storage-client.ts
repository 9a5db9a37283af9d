import type { UnsignedCall } from '../credentials/create-signers.ts';
import { CHANGING_OPERATIONS, STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Caller, toTrickle } from '../http/caller.ts';
import { type HeaderInput, type HeaderList, toHeaderList, withHeaders } from '../http/exchange.ts';
import type { CopyPaths, RequestForm } from '../options.ts';
import { Unreached } from '../result.ts';
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
  /** Send the body in two halves, with a pause in between. */
  isSlow?: boolean;
  /** The query, without its question mark. */
  query?: string;
  /** Return 401 and 403 even with valid credentials. */
  acceptsRefusal?: boolean;
}

export class StorageClient {
  readonly #run: Run;
  readonly #caller: Caller;
  readonly #folder: string;
  readonly #base: URL;

  constructor(run: Run, caller: Caller, folder: string) {
    this.#run = run;
    this.#caller = caller;
    this.#folder = folder;
    this.#base = new URL(run.settings.storageUrl);
  }

  /**
   * Makes a storage call and returns any response. The fields are sent in the form that the deployment
   * accepts.
   */
  async call(
    operation: StorageOperation | (string & {}),
    fields: object,
    options: StorageCallOptions = {},
  ): Promise<StorageReply> {
    const { settings, secrets } = this.#run;
    const { method = 'POST', env = settings.env, credentials = 'valid' } = options;
    const { origin, pathname } = this.#base;
    const text = method === 'GET' ? '' : this.body(fields, options.isOtherForm);
    const body = Buffer.from(options.body ?? text);
    const path = `${pathname.replace(/\/+$/, '')}/api/v2/envs/${env}/storages:${operation}`;
    const target = options.query === undefined ? path : `${path}?${options.query}`;
    const type: HeaderList = method === 'GET' ? [] : [['Content-Type', 'application/json']];
    const headers = withHeaders(type, toHeaderList(options.headers));
    const signed = await this.#sign(credentials, { method, url: origin + target, headers, body });
    const half = Math.ceil(body.length / 2);
    const trickle = options.isSlow && toTrickle([body.subarray(0, half), body.subarray(half)]);
    const all = withHeaders(headers, signed);
    const call = { method, origin, target, headers: all, body, ...(trickle && { trickle }) };
    const exchange = await this.#caller.call(call);
    const reply = readReply(exchange, settings.wireProfile.envelope);
    secrets.addGrant(reply.data);
    const { status } = exchange.received;
    if (credentials === 'valid' && !options.acceptsRefusal && (status === 401 || status === 403)) {
      // That proves nothing about the rule.
      const reason = `rejected the credentials with ${status}, although it accepted them before`;
      throw new Unreached(`the storage API ${reason}`);
    }
    return reply;
  }

  /** Makes a call for a list and reads its entries. If that fails, the check is not reached. */
  async listReply(
    operation: StorageOperation,
    fileList: readonly unknown[],
  ): Promise<{ reply: StorageReply; entries: Entry[] }> {
    const reply = await this.call(operation, { fileList });
    const { entries } = reply;
    if (entries?.length === fileList.length) return { reply, entries };
    throw new Unreached(
      `${operation} responded with ${reply.received.status} without an entry for each of the ${fileList.length} items`,
    );
  }

  /** Like `list`, but returns only the entries. */
  async list(operation: StorageOperation, fileList: readonly unknown[]): Promise<Entry[]> {
    return (await this.listReply(operation, fileList)).entries;
  }

  /**
   * Returns the body of a call as JSON, with the fields in the form that the deployment accepts, or in the
   * other one.
   */
  body(fields: unknown, isOtherForm = false): string {
    const isTop = (this.#run.requestForm === 'top') !== isOtherForm;
    return JSON.stringify(toForm(fields, isTop ? 'top' : 'data'));
  }

  /** Returns a cloud path that only this check uses, without a leading `/`. */
  path(name: string): string {
    return `${this.#folder}/${name}`;
  }

  /** Returns a cloud path as copy calls spell it: with a leading `/` if the deployment accepts that (D24). */
  copyPath(path: string, spelling: CopyPaths = this.#run.copyPaths): string {
    return spelling === 'absolute' ? `/${path}` : path;
  }

  /** Converts seconds to the unit of `--max-age-unit`. */
  maxAge(seconds: number): number {
    return Math.ceil(seconds * { ms: 1000, s: 1, min: 1 / 60 }[this.#run.settings.maxAgeUnit]);
  }

  /** Returns the headers that `valid` credentials currently add to a call. */
  credentials(): Promise<HeaderList> {
    const { origin } = this.#base;
    return this.#sign('valid', { method: 'POST', url: origin, headers: [], body: Buffer.alloc(0) });
  }

  async #sign(
    credentials: NonNullable<StorageCallOptions['credentials']>,
    call: UnsignedCall,
  ): Promise<HeaderList> {
    if (credentials === 'none') return [];
    if (credentials === 'valid') return (await this.#run.signers.storage?.(call)) ?? [];
    return toHeaderList(credentials);
  }
}

/** Returns the body of a storage request with these fields. */
export function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}
