import { type Exchange, isWebUrl, splitTarget, toCallUrl } from '../http/exchange.ts';
import { toPlainType } from '../http/media-type.ts';
import type { Operation } from '../invariants/invariant.ts';
import { findOperation, toDocumented } from '../invariants/observer.ts';
import { toFields } from '../json.ts';
import { quoteJson } from '../results/redact.ts';
import { CallContext } from '../run/call-context.ts';
import type { Files } from '../run/files.ts';
import type { Run } from '../run/run.ts';

export interface Recorded {
  exchanges: Exchange[];
  /** The error of the last call that got no response. */
  fault?: Error;
}

/** Makes Respect's calls the way the suite makes its own: with its credentials, timeouts, CAs and names. */
export function createFetch(run: Run, workflow: string, record: Recorded): typeof fetch {
  const { caller, gateway, storage, files } = new CallContext(run, { madeBy: workflow });
  const { storeFileID, storageHeaders } = run.settings.wireProfile;
  const hidden = ['url', 'token', 'authorization', 'fileID', 'tempFileURL', storeFileID];
  const vault = createVault(hidden);
  const credentials = Object.values(storageHeaders).map((name) => name.toLowerCase());
  const replaced = ['content-length', 'authorization', ...credentials];

  async function call(url: string, request: Request, operation?: Operation): Promise<Exchange> {
    const { method } = request;
    const headers = [...request.headers].filter(([name]) => !replaced.includes(name));
    if (operation?.api === 'gateway') {
      const { service = '', rest = '' } = operation;
      const { search } = splitTarget(url);
      const path = rest + (search && `?${search}`);
      const body = new Uint8Array(await request.arrayBuffer());
      const credentials = request.headers.has('authorization') ? 'valid' : 'none';
      return gateway.call({ method, service, path, headers, body, credentials });
    }
    if (operation !== undefined) {
      const fields = JSON.parse(await request.text(), (_, value) => vault.reveal(value));
      trackFiles(files, fields);
      return storage.call(operation.operationId, fields, { headers });
    }
    if (method === 'GET') return files.download(url, headers);
    // An upload; the file is text.
    const body = Buffer.from(String(vault.reveal(await request.text())));
    return caller.call({ method, url: toCallUrl(url), headers, body });
  }

  return async (input, init) => {
    const url = String(vault.reveal(String(input)));
    if (!isWebUrl(url)) throw new TypeError(`${quoteJson(url)} is not a URL that can be called`);
    const request = new Request(url, { ...init, signal: null });
    const operation = findOperation({ method: request.method, url }, run.settings);
    const exchange = await call(url, request, operation).catch((error) => {
      record.fault = error;
      throw error;
    });
    record.exchanges.push(exchange);
    const { status, headers, json, body } = exchange.received;
    const expected = operation ? toDocumented(operation, status) : status;
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
  const { path, fileList } = toFields(fields);
  if (typeof path === 'string') files.track(path);
  for (const item of Array.isArray(fileList) ? fileList : []) {
    const { dstPath } = toFields(item);
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
