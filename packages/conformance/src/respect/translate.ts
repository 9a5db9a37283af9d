import type { Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { type FormField, toMultipart } from '../context/upload-client.ts';
import { type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { toDocumented } from '../validation/check-response.ts';

/** Response fields whose values a workflow only passes on, besides the one that the wire profile names. */
const OPAQUE = ['url', 'token', 'authorization', 'fileID', 'tempFileURL'];

export type Vault = ReturnType<typeof createVault>;

/** Hides values from Respect, which treats `a.1` in a string as a path and replaces it with `a[1]`. */
export function createVault(storeFileID: string) {
  const opaque = [...OPAQUE, storeFileID];
  const words = new Map<string, string>();
  const values = new Map<string, string>();
  const toWord = (value: string) => {
    const name = `value-${words.size}`;
    const isUrl = URL.canParse(value) && value.startsWith('http');
    const word = words.get(value) ?? (isUrl ? `http://${name}.invalid` : name);
    words.set(value, word);
    values.set(word, value);
    return word;
  };
  /** Returns a body with a placeholder for every value that is only passed on. */
  const conceal = (value: unknown, key = ''): unknown => {
    if (typeof value !== 'string') return mapValues(value, conceal);
    return opaque.includes(key) && value !== '' ? toWord(value) : value;
  };
  /** Returns the value of a placeholder; any other text unchanged. */
  const reveal = (text: string) => values.get(text) ?? text;
  /** Does the same for every string in a body. */
  const revealAll = (value: unknown): unknown =>
    typeof value === 'string' ? reveal(value) : mapValues(value, (item) => revealAll(item));
  return { conceal, reveal, revealAll };
}

function mapValues(value: unknown, map: (value: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));
}

/**
 * Converts a workflow's request to what the deployment expects: with the values for their placeholders, the
 * fields in the form that it accepts, and no credentials, which the run adds.
 */
export async function toContractBody(
  { settings, requestForm, mark }: Run,
  vault: Vault,
  isStorage: boolean,
  headers: HeaderList,
  body: Buffer,
): Promise<{ headers: HeaderList; body: Buffer }> {
  if (isStorage) {
    const names = Object.values(settings.wireProfile.storageHeaders);
    const credentials = names.map((name) => name.toLowerCase());
    const unsigned = headers.filter(([name]) => !credentials.includes(name.toLowerCase()));
    const fields = vault.revealAll(JSON.parse(body.toString()));
    return { headers: unsigned, body: Buffer.from(JSON.stringify(toForm(fields, requestForm))) };
  }
  const [type = ''] = readAll(headers, 'content-type');
  if (!type.startsWith('multipart/form-data')) return { headers, body };
  const form = await new Response(Uint8Array.from(body), {
    headers: { 'Content-Type': type },
  }).formData();
  const entries = [...form].map(
    async ([name, value]): Promise<FormField> => [
      name,
      typeof value === 'string' ? vault.reveal(value) : Buffer.from(await value.arrayBuffer()),
    ],
  );
  const boundary = `berth-${mark}`;
  const multipart: HeaderList = [['Content-Type', `multipart/form-data; boundary=${boundary}`]];
  const written = toMultipart(await Promise.all(entries), boundary);
  return { headers: withHeaders(headers, multipart), body: written };
}

/**
 * Returns the status that workflows expect for a response. For a successful storage call, it is the
 * documented status.
 */
export function toExpectedStatus(operationId: string | undefined, status: number): number {
  return operationId === undefined ? status : toDocumented({ api: 'storage', operationId }, status);
}
