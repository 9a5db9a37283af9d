import {
  Headers,
  type Hooks,
  type Json,
  MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { itemsOf, readsRequests } from './storage.ts';

export type Form = Map<string, Buffer>;

/** The fields of an upload form; of a broken one with what came of the last. */
export function readForm(request: MutatedRequest): Form {
  const form: Form = new Map();
  // A boundary stands at the beginning of a line (RFC 2046, section 5.1.1); a file may hold it elsewhere.
  const delimiter = `\r\n--${toBoundary(request)}`;
  const text = `\r\n${request.body.toString('latin1')}`;
  for (const part of text.split(delimiter).slice(1)) {
    const end = part.indexOf('\r\n\r\n');
    const [, name] = /name="([^"]*)"/.exec(part.slice(0, end)) ?? [];
    if (end < 0 || name === undefined) continue;
    const value = part.slice(end + 4);
    form.set(name, Buffer.from(value, 'latin1'));
  }
  return form;
}

/** Puts other fields into an upload form. */
export function writeForm(request: MutatedRequest, form: Form): void {
  const boundary = toBoundary(request);
  const parts = [...form].flatMap(([name, value]) => {
    const filename = name === 'file' ? '; filename="file"' : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n`;
    return [Buffer.from(head), value, Buffer.from('\r\n')];
  });
  request.body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

function toBoundary({ headers }: MutatedRequest): string {
  return /boundary="?([^";]+)/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
}

/** The right values of the form fields, by their names. */
type Grant = Record<string, string>;

/**
 * Has forms be stored in which one field is wrong and the others are those of a grant: the right value is put
 * in its place.
 *
 * @param isRepaired gets the wrong value, and those of all grants so far
 */
export const repairForms =
  (
    field: string,
    isRepaired: (value: string | undefined, known: string[]) => unknown = () => true,
  ): Mutant['create'] =>
  () => {
    const grants: Grant[] = [];
    return {
      response(response, { operation, json }) {
        const data = response.json?.body?.data;
        if (operation !== 'getUploadMetaData' || !data) return;
        grants.push({
          Signature: data.authorization,
          'x-store-security-token': data.token,
          'x-store-meta-fileid': data.storeFileID,
          key: json.path,
        });
      },
      ...uploadRequest((request) => {
        const form = readForm(request);
        const grant = grants.findLast((one) =>
          Object.entries(one).every(
            ([name, value]) => name === field || form.get(name)?.toString() === value,
          ),
        );
        const right = grant?.[field];
        const value = form.get(field)?.toString();
        const known = grants.map((one) => one[field] ?? '');
        if (right === undefined || value === right || !isRepaired(value, known)) return;
        const file = form.get('file') ?? Buffer.alloc(0);
        form.delete('file');
        form.set(field, Buffer.from(right)).set('file', file);
        writeForm(request, form);
      }),
    };
  };

/** Changes forms, or replaces the response to them by the one that is returned. */
export const uploadRequest = (change: (request: MutatedRequest) => unknown): Hooks => ({
  request: (request) => (request.isUpload ? change(request) : undefined),
});

/** Changes the file of a form, as text in which every byte is a character. */
export const changeFile = (change: (text: string) => string): Hooks =>
  uploadRequest((request) => {
    const form = readForm(request);
    const text = form.get('file')?.toString('latin1');
    if (text === undefined || !form.has('key')) return;
    const changed = change(text);
    if (changed !== text) writeForm(request, form.set('file', Buffer.from(changed, 'latin1')));
  });

/** Acts after an upload that went well. */
export const afterUpload = (act: (response: MutatedResponse, form: Form) => unknown): Hooks => ({
  ...readsRequests,
  async response(response, request) {
    if (request.isUpload && response.status < 300) await act(response, readForm(request));
  },
});

/** Changes the response to forms that were refused. */
export const uploadError = (change: (response: MutatedResponse, form: Form) => void): Hooks => ({
  ...readsRequests,
  response(response, request) {
    if (request.isUpload && response.status >= 400) change(response, readForm(request));
  },
});

/** Acts on what has come of an upload that breaks off. */
export const brokenUpload = (
  act: (request: MutatedRequest, form: Form) => void | Promise<void>,
): Hooks => ({
  broken: (request) => (request.isUpload ? act(request, readForm(request)) : undefined),
});

/** An error of the upload target in the form of the contract. */
export function toUploadError(status: number, code: string): MutatedResponse {
  const error = `<Error><Code>${code}</Code><Message>refused by a mutant</Message></Error>`;
  return new MutatedResponse(status, { 'Content-Type': 'application/xml' }, error);
}

/** The file ID of a path. */
export async function fileIdOf(context: MutantContext, path: string): Promise<string> {
  const data = await context.storage('getUploadMetaData', { path });
  return String(data?.fileID);
}

/** The bytes of a file; `undefined` where there is none. */
export async function readFile(
  context: MutantContext,
  fileID: string,
): Promise<Buffer | undefined> {
  const data = await context.storage('batchGetTempUrls', { fileList: [{ fileID }] });
  const [entry] = (data?.fileList ?? []) as Json[];
  if (entry?.code !== 'SUCCESS') return undefined;
  const { pathname, search } = new URL(entry.tempFileURL);
  const response = await context.call({ method: 'GET', target: pathname + search, headers: {} });
  return response.status === 200 ? response.body : undefined;
}

export async function deleteFile(context: MutantContext, path: string): Promise<void> {
  await context.storage('batchDelete', { fileList: [await fileIdOf(context, path)] });
}

/** Stores a file by an upload of the mutant's own. */
export async function storeFile(
  context: MutantContext,
  path: string,
  bytes: Buffer = Buffer.alloc(0),
): Promise<void> {
  const data = await context.storage('getUploadMetaData', { path });
  const { url, authorization, token, storeFileID } = data as Record<string, string>;
  const request = new MutatedRequest(
    'POST',
    new URL(String(url)).pathname,
    new Headers([['Content-Type', 'multipart/form-data; boundary=of-the-mutant']]),
    Buffer.alloc(0),
  );
  const fields = {
    Signature: authorization,
    'x-store-security-token': token,
    'x-store-meta-fileid': storeFileID,
    key: path,
  };
  const form: Form = new Map(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(`${value}`)]),
  );
  writeForm(request, form.set('file', bytes));
  await context.call({
    method: 'POST',
    target: request.target,
    headers: { 'Content-Type': String(request.headers.get('content-type')) },
    body: request.body,
  });
}

/** The path of a file without the slash that it may begin with. */
export const plainPath = (path: unknown): string => String(path).replace(/^\//, '');

/** The path that a form stores its file at. */
export const keyOf = (form: Form): string => plainPath(form.get('key'));

/** Which paths of the items of a copy have a file, before it. */
export async function listStored(
  context: MutantContext,
  call: MutatedRequest,
  name: 'srcPath' | 'dstPath',
  isWanted: (bytes: Buffer) => boolean = () => true,
): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const { [name]: path } of itemsOf(call)) {
    const bytes = path && (await readFile(context, await fileIdOf(context, plainPath(path))));
    if (bytes && isWanted(bytes)) stored.add(path);
  }
  return stored;
}

/** The path in a file ID. */
export const pathOf = (fileID: unknown): string => String(fileID).replace(/^cloud:\/\/[^/]*\//, '');
