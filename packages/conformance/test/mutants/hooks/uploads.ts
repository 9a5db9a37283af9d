import { toMultipart } from '../../../src/run/files.ts';
import type { Hooks, MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import { plainPath, toFields } from '../context.ts';
import type { Mutant } from '../mutant.ts';
import { GRANT } from './storage.ts';

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
  const fields = [...form].map(([name, value]) => {
    return [name, name === 'file' ? value : value.toString()] as const;
  });
  request.body = toMultipart(Object.fromEntries(fields), toBoundary(request));
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

/** Returns the path at which an upload form stores its file. */
export const keyOf = (form: Form): string => plainPath(form.get('key'));
