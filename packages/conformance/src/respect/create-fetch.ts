import { createRunCaller, type Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { followLink } from '../context/upload-client.ts';
import { type Exchange, toTarget, withHeaders } from '../http/exchange.ts';
import { toPlainType } from '../http/media-type.ts';
import { toDocumented } from '../validation/check-response.ts';
import { readReply } from '../validation/read-storage.ts';

/** The calls of a workflow. */
export interface Recorded {
  exchanges: Exchange[];
  /** The error of the last call that got no response. */
  fault?: Error;
}

/**
 * Creates a `fetch` for Respect whose calls are like all others of the run: signed with its credentials, with
 * its timeouts and CAs, and with the names and forms that the operator declared.
 */
export function createFetch(run: Run, record: Recorded): typeof fetch {
  const caller = createRunCaller(run);
  const { settings, secrets, requestForm, signers, gatewaySigner } = run;
  const { storeFileID, envelope, storageHeaders } = settings.wireProfile;
  const vault = createVault([
    'url',
    'token',
    'authorization',
    'fileID',
    'tempFileURL',
    storeFileID,
  ]);
  const unsent = ['Content-Length', 'Authorization', ...Object.values(storageHeaders)].map((name) =>
    name.toLowerCase(),
  );

  async function call(url: string, init?: RequestInit): Promise<Exchange> {
    const request = new Request(url, { ...init, signal: null });
    const { method } = request;
    const { origin } = new URL(url);
    const target = toTarget(url);
    const plain = [...request.headers].filter(([name]) => !unsent.includes(name));
    if (url.startsWith(`${settings.gatewayUrl}/v1/cloudrun/`)) {
      const { gatewayHost } = settings;
      const body = Buffer.from(await request.arrayBuffer());
      const all = gatewayHost ? withHeaders(plain, [['Host', gatewayHost]]) : plain;
      const signer = request.headers.has('authorization') ? gatewaySigner : undefined;
      const credentials = signer?.({ method, url: origin + target, headers: all, body }) ?? [];
      return caller.call({ method, origin, target, headers: [...all, ...credentials], body });
    }
    if (isStorage(url)) {
      const fields = JSON.parse(await request.text(), (_, value) => vault.reveal(value));
      const body = Buffer.from(JSON.stringify(toForm(fields, requestForm)));
      const unsigned = { method, url: origin + target, headers: plain, body };
      const credentials = signers.storage?.(unsigned) ?? [];
      const headers = [...plain, ...credentials];
      const exchange = await caller.call({ method, origin, target, headers, body });
      const { data } = readReply(exchange, envelope);
      secrets.addGrant(data);
      trackFiles(run, fields, data);
      return exchange;
    }
    if (method === 'GET') return followLink(caller, url, plain);
    // An upload; the file is text.
    const body = Buffer.from(String(vault.reveal(await request.text())));
    return caller.call({ method, origin, target, headers: plain, body });
  }

  const isStorage = (url: string) => url.startsWith(`${settings.storageUrl}/api/v2/`);
  return async (input, init) => {
    const url = String(vault.reveal(String(input)));
    const exchange = await call(url, init).catch((error) => {
      record.fault = error;
      throw error;
    });
    record.exchanges.push(exchange);
    const { status, headers, json, body } = exchange.received;
    const operationId = url.slice(url.lastIndexOf(':') + 1);
    const expected = isStorage(url)
      ? toDocumented({ api: 'storage', operationId }, status)
      : status;
    const hasBody = ![204, 205, 304].includes(expected);
    const content = json === undefined ? Uint8Array.from(body) : vault.conceal(json);
    // Respect accepts only one spelling of a media type.
    const shown = headers.map(([name, value]): [string, string] =>
      name.toLowerCase() === 'content-type' ? [name, toPlainType(value)] : [name, value],
    );
    return new Response(hasBody ? content : null, {
      status: expected,
      headers: shown,
    });
  };
}

/** Registers the files that a storage call may have made, with the ID if it is known, for the clean-up. */
function trackFiles({ leftovers }: Run, fields: unknown, data: Record<string, unknown> = {}): void {
  const { path, fileList = [] } = Object(fields);
  if (typeof path === 'string') leftovers.set(path, data.fileID as string | undefined);
  for (const item of fileList) {
    const { dstPath } = Object(item);
    if (typeof dstPath === 'string') leftovers.set(dstPath.replace(/^\//, ''), undefined);
  }
}

/**
 * Hides values that a workflow only passes on from Respect, which treats `a.1` in a string as a path and replaces it
 * with `a[1]`.
 *
 * @param fields the response fields that contain such values
 */
function createVault(fields: readonly string[]) {
  const values: string[] = [];
  const toWord = (value: string) => {
    if (!values.includes(value)) values.push(value);
    return `http://value-${values.indexOf(value)}.invalid`;
  };
  return {
    /** Returns a body as JSON, with a word for every value that is only passed on. */
    conceal: (body: unknown) =>
      JSON.stringify(body, (name, value) =>
        fields.includes(name) && typeof value === 'string' && value !== '' ? toWord(value) : value,
      ),
    /** Returns a text with the values of all words, and any other value unchanged. */
    reveal: (text: unknown) =>
      typeof text === 'string'
        ? text.replace(/http:\/\/value-(\d+)\.invalid/g, (_, index) => values[index] ?? '')
        : text,
  };
}
