import { CheckContext } from '../context/check-context.ts';
import type { Files } from '../context/files.ts';
import type { Run } from '../context/run.ts';
import { type Exchange, isWebUrl, toCallUrl } from '../http/exchange.ts';
import { toPlainType } from '../http/media-type.ts';
import { toDocumented } from '../invariants/check-response.ts';
import { quoteJson } from '../redact.ts';

export interface Recorded {
  exchanges: Exchange[];
  /** The error of the last call that got no response. */
  fault?: Error;
}

/** Makes Respect's calls the way the suite makes its own: with its credentials, timeouts, CAs and names. */
export function createFetch(run: Run, record: Recorded): typeof fetch {
  const { gateway, storage, files } = new CheckContext(run, 'respect');
  const { gatewayUrl, storageUrl, wireProfile } = run.settings;
  const { storeFileID, storageHeaders } = wireProfile;
  const services = `${gatewayUrl}/v1/cloudrun/`;
  const hidden = ['url', 'token', 'authorization', 'fileID', 'tempFileURL', storeFileID];
  const vault = createVault(hidden);
  const credentials = Object.values(storageHeaders).map((name) => name.toLowerCase());
  const replaced = ['content-length', 'authorization', ...credentials];

  async function call(url: string, request: Request): Promise<Exchange> {
    const { method } = request;
    const headers = [...request.headers].filter(([name]) => !replaced.includes(name));
    if (url.startsWith(services)) {
      const [, service = '', path = ''] = /^([^/?]*)(.*)$/.exec(url.slice(services.length)) ?? [];
      const body = new Uint8Array(await request.arrayBuffer());
      const credentials = request.headers.has('authorization') ? 'valid' : 'none';
      return gateway.call({ method, service, path, headers, body, credentials });
    }
    const operation = toOperation(url);
    if (operation !== undefined) {
      const fields = JSON.parse(await request.text(), (_, value) => vault.reveal(value));
      trackFiles(files, fields);
      return storage.call(operation, fields, { headers });
    }
    if (method === 'GET') return files.download(url, headers);
    // An upload; the file is text.
    const body = Buffer.from(String(vault.reveal(await request.text())));
    return run.caller.call({ method, url: toCallUrl(url), headers, body });
  }

  const toOperation = (url: string) =>
    url.startsWith(`${storageUrl}/api/v2/`) ? url.slice(url.lastIndexOf(':') + 1) : undefined;

  return async (input, init) => {
    const url = String(vault.reveal(String(input)));
    if (!isWebUrl(url)) throw new TypeError(`${quoteJson(url)} is not a URL that can be called`);
    const request = new Request(url, { ...init, signal: null });
    const exchange = await call(url, request).catch((error) => {
      record.fault = error;
      throw error;
    });
    record.exchanges.push(exchange);
    const { status, headers, json, body } = exchange.received;
    const operationId = toOperation(url);
    const expected = operationId ? toDocumented({ api: 'storage', operationId }, status) : status;
    const hasBody = ![204, 205, 304].includes(expected);
    const content = json === undefined ? Uint8Array.from(body) : vault.conceal(json);
    // Respect accepts only one spelling of a media type.
    const shown = headers.map(([name, value]): [string, string] =>
      name.toLowerCase() === 'content-type' ? [name, toPlainType(value)] : [name, value],
    );
    return new Response(hasBody ? content : null, { status: expected, headers: shown });
  };
}

/** Marks the files that a storage call may have made for removal at the end of the run. */
function trackFiles(files: Files, fields: unknown): void {
  const { path, fileList = [] } = Object(fields);
  if (typeof path === 'string') files.track(path);
  for (const item of fileList) {
    const { dstPath } = Object(item);
    if (typeof dstPath === 'string') files.track(dstPath.replace(/^\//, ''));
  }
}

/** Hides values from Respect that it only passes on, because it replaces `a.1` in a string with `a[1]`. */
function createVault(fields: readonly string[]) {
  const values: string[] = [];
  const toWord = (value: string) => {
    if (!values.includes(value)) values.push(value);
    return `http://value-${values.indexOf(value)}.invalid`;
  };
  return {
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
