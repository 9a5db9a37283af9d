/* The clients of both APIs, and how they turn the calls of checks into requests. */
import { SkipError } from '../errors.ts';
import type { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Caller, type OpenExchange, pauseBetween } from '../http/caller.ts';
import {
  type Call,
  type Exchange,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { Socket, Upgrade } from '../http/open-web-socket.ts';
import { readReply } from '../http/read-response.ts';
import { toFields } from '../json.ts';
import type { CopyPaths, RequestForm } from '../options.ts';
import type { Run } from './run.ts';

export interface GatewayCall {
  method?: string;
  /** What follows the service name, sent unchanged: `/echo/a?x=1`. */
  path?: string;
  service?: string;
  headers?: HeaderInput;
  body?: string | Uint8Array;
  /** Sends the body in chunks instead, without a length (RFC 9112, section 7.1). */
  chunks?: readonly Uint8Array[];
  /** Default: `valid`, which the gateway accepted before. Headers are sent instead of credentials. */
  credentials?: 'valid' | 'bearer' | 'signature' | 'none' | HeaderInput;
  /** `Host`. Default: `--gateway-host`, or the host of the URL. */
  host?: string;
  /** Return a 429. Default: wait and send the request again. */
  keep429?: boolean;
}

export type GatewayClient = ReturnType<typeof createGatewayClient>;

export function createGatewayClient(run: Run, caller: Caller) {
  const { gatewayUrl, gatewayHost } = run.settings;
  return {
    host: gatewayHost ?? new URL(gatewayUrl).host,
    servicePath: toGatewayPath(run, {}),

    call: (call: GatewayCall = {}): Promise<Exchange> => caller.call(toGatewayCall(run, call)),

    open: (call: GatewayCall): Promise<OpenExchange> => caller.open(toGatewayCall(run, call)),

    upgrade: (call: GatewayCall, offers: readonly string[] = []): Promise<Upgrade> =>
      caller.upgrade(toGatewayCall(run, call), offers),
  };
}

export async function closeSocket(socket: Socket | undefined): Promise<void> {
  socket?.close();
  // Only the end matters, not how it happens.
  await socket?.closed().catch(() => {});
}

export function toGatewayCall(run: Run, call: GatewayCall): Call {
  const { origin, host } = new URL(run.settings.gatewayUrl);
  const { chunks, credentials = 'valid', keep429 } = call;
  const body = chunks ? Buffer.concat(chunks) : Buffer.from(call.body ?? '');
  const method = call.method ?? ((call.body ?? chunks) === undefined ? 'GET' : 'POST');
  const url = origin + toGatewayPath(run, call);
  const first: HeaderList = [['Host', call.host ?? run.settings.gatewayHost ?? host]];
  const coding: HeaderList = chunks ? [['Transfer-Encoding', 'chunked']] : [];
  const unsigned = withHeaders([...first, ...coding], toHeaderList(call.headers));
  const sign = () => {
    if (credentials === 'none') return [];
    if (typeof credentials !== 'string') return toHeaderList(credentials);
    const scheme = credentials === 'valid' ? run.deployment.gatewayScheme : credentials;
    const signer = scheme && run.signers[scheme];
    return signer?.({ method, url, headers: unsigned, body }) ?? [];
  };
  const headers = withHeaders(unsigned, sign());
  const stream = chunks && (() => pauseBetween(chunks));
  return { method, url, headers, body, stream, keep429 };
}

function toGatewayPath({ settings }: Run, { service, path = '' }: GatewayCall): string {
  const { pathname } = new URL(settings.gatewayUrl);
  return `${pathname.replace(/\/+$/, '')}/v1/cloudrun/${service ?? settings.service}${path}`;
}

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
    const isCopied = operation === 'batchCopyFile' && !reply.rejected;
    for (const path of isCopied ? listDestinations(fields) : []) run.acknowledged.add(path);
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

/** Returns the paths at which the items of a copy call make files, without a leading `/`. */
export function listDestinations(fields: unknown): string[] {
  const { fileList } = toFields(fields);
  const paths = Array.isArray(fileList) ? fileList.map((item) => toFields(item).dstPath) : [];
  return paths.filter((path) => typeof path === 'string').map((path) => path.replace(/^\//, ''));
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

function toForm(fields: unknown, form: RequestForm): unknown {
  return form === 'data' ? { data: fields } : fields;
}
