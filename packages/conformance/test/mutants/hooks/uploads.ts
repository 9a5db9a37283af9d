import { type Hooks, type Json, MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import type { Files, Mutant, MutantContext } from '../mutant.ts';
import { DELETE, GRANT, LINKS } from './storage.ts';

export type Form = Map<string, Buffer>;

/** Parses the fields of an upload form. If the upload was interrupted, the last field is incomplete. */
export function readForm(request: MutatedRequest): Form {
  const form: Form = new Map();
  // A boundary begins a line (RFC 2046, section 5.1.1); a file may contain it elsewhere.
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

/** Replaces the fields of an upload form. */
function writeForm(request: MutatedRequest, form: Form): void {
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

/**
 * Accepts upload forms with one wrong field by replacing its value with the one from the grant.
 *
 * @param isRepaired whether to repair a wrong value, given that value and the values in all grants so far
 */
export const repairForms =
  (
    field: string,
    isRepaired: (value: string | undefined, known: string[]) => unknown = () => true,
  ): Mutant['create'] =>
  () => {
    /** The right values of the form fields, by name. */
    const grants: Record<string, string>[] = [];
    return {
      response(response, { operation, json }) {
        const data = response.json?.body?.data;
        if (operation !== GRANT || !data) return;
        grants.push(toFields(data, json.path));
      },
      ...uploadRequest((request) => {
        const form = readForm(request);
        const grant = grants.findLast((one) =>
          Object.entries(one).every(
            ([name, value]) => name === field || form.get(name)?.toString() === value,
          ),
        );
        const value = form.get(field)?.toString();
        const known = grants.map((one) => one[field] ?? '');
        const right = grant?.[field];
        if (right === undefined || value === right || !isRepaired(value, known)) return;
        const file = form.get('file') ?? Buffer.alloc(0);
        form.delete('file');
        writeForm(request, form.set(field, Buffer.from(right)).set('file', file));
      }),
    };
  };

/** The fields of an upload form, from upload metadata. */
const toFields = (data: Json, key: string): Record<string, string> => ({
  Signature: data.authorization,
  'x-store-security-token': data.token,
  'x-store-meta-fileid': data.storeFileID,
  key,
});

/** Changes upload forms. If the function returns a response, that response replaces the server's. */
export const uploadRequest = (change: (request: MutatedRequest) => unknown): Hooks => ({
  request: (request) => (request.isUpload && !request.isBroken ? change(request) : undefined),
});

/** Changes the file in an upload form, decoded as Latin-1 text. */
export const changeFile = (change: (text: string) => string): Hooks =>
  uploadRequest((request) => {
    const form = readForm(request);
    const text = form.get('file')?.toString('latin1');
    if (text === undefined || !form.has('key')) return;
    const changed = change(text);
    if (changed !== text) writeForm(request, form.set('file', Buffer.from(changed, 'latin1')));
  });

/** Calls a function after a successful upload. */
export const afterUpload = (act: (response: MutatedResponse, form: Form) => unknown): Hooks => ({
  async response(response, request) {
    const isStored = response.status < 300 && !/<Error[\s>/]/.test(response.body.toString());
    if (request.isUpload && isStored) await act(response, readForm(request));
  },
});

/** Calls a function with the part of an interrupted upload that was received. */
export const brokenUpload = (
  act: (request: MutatedRequest, form: Form) => void | Promise<void>,
): Hooks => ({
  request: (request) =>
    request.isUpload && request.isBroken ? act(request, readForm(request)) : undefined,
});

/** Creates an upload target error in the contract's format. */
export function toUploadError(status: number, code: string): MutatedResponse {
  const error = `<Error><Code>${code}</Code><Message>rejected by a mutant</Message></Error>`;
  return new MutatedResponse(status, { 'Content-Type': 'application/xml' }, error);
}

/** Creates the calls with which a mutant reads and changes files. */
export function createFiles({ storage, call }: Pick<MutantContext, 'storage' | 'call'>): Files {
  const files: Files = {
    async fileIdOf(path) {
      const data = await storage(GRANT, { path: plainPath(path) });
      return String(data?.fileID);
    },
    async readId(fileID) {
      const data = await storage(LINKS, { fileList: [{ fileID }] });
      const [entry] = (data?.fileList ?? []) as Json[];
      if (entry?.code !== 'SUCCESS') return undefined;
      const { pathname, search } = new URL(entry.tempFileURL);
      const response = await call({ method: 'GET', target: pathname + search, headers: {} });
      return response.status === 200 ? response.body : undefined;
    },
    read: async (path) => files.readId(await files.fileIdOf(path)),
    async store(path, bytes = Buffer.alloc(0)) {
      const key = plainPath(path);
      const data: Json = await storage(GRANT, { path: key });
      const headers = { 'Content-Type': 'multipart/form-data; boundary=form-of-a-mutant' };
      const request = new MutatedRequest('POST', new URL(data.url).pathname, headers);
      const fields = Object.entries(toFields(data, key));
      const form: Form = new Map(fields.map(([name, value]) => [name, Buffer.from(value)]));
      writeForm(request, form.set('file', bytes));
      await call({ method: 'POST', target: request.target, headers, body: request.body });
    },
    async remove(path) {
      await storage(DELETE, { fileList: [await files.fileIdOf(path)] });
    },
  };
  return files;
}

/** Returns the path of a file without a leading slash. */
const plainPath = (path: unknown): string => String(path).replace(/^\//, '');

/** Returns the path at which an upload form stores its file. */
export const keyOf = (form: Form): string => plainPath(form.get('key'));
