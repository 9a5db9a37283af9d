/* Step 2 of an upload: the form that is sent to the upload target. */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../http/caller.ts';
import { type Exchange, type HeaderInput, toCallUrl, toHeaderList } from '../http/exchange.ts';
import { hasErrorElement } from '../http/read-response.ts';
import type { Run } from './run.ts';

/** What step 1 returns, which allows one upload. */
export type Grant = Record<
  'path' | 'url' | 'token' | 'authorization' | 'fileId' | 'storeFileId',
  string
>;

/** The fields of a form in order. */
export type Form = Readonly<Record<string, string | Buffer>>;

export interface PostOptions {
  headers?: HeaderInput;
  boundary?: string;
  /** Default: `multipart/form-data` with the boundary. */
  type?: string;
  /** Send this instead of the form. */
  body?: Buffer;
  /** Send this instead of the form; `Content-Length` is still that of the complete form. */
  stream?: (form: Buffer) => AsyncIterable<Uint8Array>;
}

/** Returns the fields in order, `file` last. */
export function toFormFields(
  { settings }: Run,
  { authorization, token, storeFileId, path }: Grant,
  bytes: Buffer,
): Form {
  const { securityToken, metaFileId } = settings.wireProfile.uploadFields;
  return {
    Signature: authorization,
    [securityToken]: token,
    [metaFileId]: storeFileId,
    key: path,
    file: bytes,
  };
}

/** Sends a form. One that is accepted does not prove that the file is stored. */
export async function postForm(
  { run, caller }: { run: Run; caller: Caller },
  { path, fileId, url }: Grant,
  form: Form,
  options: PostOptions = {},
): Promise<Exchange & { isAccepted: boolean }> {
  run.leftovers.set(path, fileId);
  const { boundary = `berth-${randomBytes(12).toString('hex')}`, stream } = options;
  const { type = `multipart/form-data; boundary=${boundary}` } = options;
  const body = options.body ?? toMultipart(form, boundary);
  const exchange = await caller.call({
    method: 'POST',
    url: toCallUrl(url),
    headers: [['Content-Type', type], ...toHeaderList(options.headers)],
    body,
    stream: stream && (() => stream(body)),
  });
  const { status, text } = exchange.received;
  return { ...exchange, isAccepted: status < 400 && !hasErrorElement(text) };
}

export function toMultipart(form: Form, boundary: string): Buffer {
  const parts = Object.entries(form).flatMap(([name, value]) => {
    const isFile = Buffer.isBuffer(value);
    const file = isFile ? '; filename="file"\r\nContent-Type: application/octet-stream' : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}
