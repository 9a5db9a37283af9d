import { Headers, type Json, type MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';
import type { MutantContext } from '../mutant.ts';

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

interface GrantMemory {
  /** For the `answer` hook: remembers what step 1 gave out. */
  note(answer: MutatedAnswer, request: MutatedRequest): void;
  /**
   * For the `request` hook: puts the right value where a field is wrong and the others are right.
   *
   * @param isRepaired gets the wrong value, and those of all grants so far
   */
  repair(
    request: MutatedRequest,
    field: string,
    isRepaired?: (value: string | undefined, known: string[]) => boolean,
  ): void;
  /** The grant whose `Signature` a form has. */
  find(form: Form): Grant | undefined;
}

/** Remembers grants, so that a mutant can let wrong forms in. */
export function rememberGrants(): GrantMemory {
  const grants: Grant[] = [];
  const matches = (form: Form, grant: Grant, names: string[]) =>
    names.every((name) => form.get(name)?.toString() === grant[name]);
  return {
    note(answer, request) {
      const data = answer.json?.body?.data;
      if (request.operation !== 'getUploadMetaData' || !data) return;
      grants.push({
        Signature: data.authorization,
        'x-store-security-token': data.token,
        'x-store-meta-fileid': data.storeFileID,
        key: request.json.path,
      });
    },
    repair(request, field, isRepaired = () => true) {
      if (!request.isUpload) return;
      const form = readForm(request);
      const grant = grants.findLast((one) =>
        matches(
          form,
          one,
          Object.keys(one).filter((name) => name !== field),
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
    },
    find: (form) => grants.findLast((grant) => matches(form, grant, ['Signature'])),
  };
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
  const answer = await context.call({ method: 'GET', target: pathname + search, headers: {} });
  return answer.status === 200 ? answer.body : undefined;
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
