import { defaultWireProfile } from '@berth/spec/wire-profile';
import type { Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { type FormField, toMultipart } from '../context/upload-client.ts';
import { type Exchange, type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { toDocumented } from '../validation/check-response.ts';
import { readReply, toContractEnvelope } from '../validation/read-storage.ts';

/** Response fields whose values a workflow only passes on. */
const OPAQUE = ['url', 'token', 'authorization', 'fileID', 'storeFileID', 'tempFileURL'];

export type Vault = ReturnType<typeof createVault>;

/** Hides values from Respect, which treats `a.1` in a string as a path and replaces it with `a[1]`. */
export function createVault() {
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
    return OPAQUE.includes(key) && value !== '' ? toWord(value) : value;
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

const CREDENTIALS = Object.values(defaultWireProfile.storageHeaders).map((name) =>
  name.toLowerCase(),
);

/**
 * Converts a workflow's request to the form that this deployment expects. Workflows use the default wire
 * profile, top-level fields and absolute copy paths.
 */
export async function toContractBody(
  run: Run,
  vault: Vault,
  isStorage: boolean,
  headers: HeaderList,
  body: Buffer,
): Promise<{ headers: HeaderList; body: Buffer }> {
  if (isStorage) {
    const own = headers.filter(([name]) => !CREDENTIALS.includes(name.toLowerCase()));
    const fields = toCopyPaths(run, vault.revealAll(JSON.parse(body.toString())) as object);
    return { headers: own, body: Buffer.from(JSON.stringify(toForm(fields, run.requestForm))) };
  }
  const [type = ''] = readAll(headers, 'content-type');
  if (!type.startsWith('multipart/form-data')) return { headers, body };
  const form = await new Response(Uint8Array.from(body), {
    headers: { 'Content-Type': type },
  }).formData();
  const entries = [...form].map(
    async ([name, value]): Promise<FormField> => [
      toProfileName(run, name),
      typeof value === 'string' ? vault.reveal(value) : Buffer.from(await value.arrayBuffer()),
    ],
  );
  const boundary = `berth-${run.mark}`;
  const multipart: HeaderList = [['Content-Type', `multipart/form-data; boundary=${boundary}`]];
  const written = toMultipart(await Promise.all(entries), boundary);
  return { headers: withHeaders(headers, multipart), body: written };
}

/**
 * Returns the status that workflows expect for a response. For a successful storage call, it is the
 * documented status.
 */
export function fromContractStatus({ settings }: Run, { sent, received }: Exchange): number {
  if (!sent.url.startsWith(`${settings.storageUrl}/api/v2/`)) return received.status;
  const operationId = sent.url.slice(sent.url.lastIndexOf(':') + 1);
  return toDocumented({ api: 'storage', operationId }, received.status);
}

/**
 * Converts this deployment's response to the form that workflows expect, with an envelope and the contract's
 * names.
 */
export function fromContractResponse(run: Run, exchange: Exchange): Buffer {
  const { sent, received } = exchange;
  const { settings, secrets } = run;
  const { json } = received;
  if (!sent.url.startsWith(`${settings.storageUrl}/api/v2/`) || json === undefined) {
    return received.body;
  }
  secrets.addGrant(readReply(exchange, settings.wireProfile.envelope).data);
  const whole = toContractEnvelope(json, settings, fromContractStatus(run, exchange));
  return whole === json ? received.body : Buffer.from(JSON.stringify(whole));
}

function toProfileName({ settings }: Run, name: string): string {
  const fields = Object.entries(defaultWireProfile.uploadFields);
  const [key] = fields.find(([, written]) => written === name) ?? [];
  if (key === undefined) return name;
  return settings.wireProfile.uploadFields[key as keyof typeof defaultWireProfile.uploadFields];
}

interface CopyFields {
  fileList?: { srcPath?: string; dstPath?: string }[];
}

function toCopyPaths({ copyPaths, leftovers }: Run, fields: CopyFields): object {
  const isCopy = fields.fileList?.some((item) => item?.srcPath !== undefined);
  if (!isCopy) return fields;
  for (const { dstPath } of fields.fileList ?? []) {
    if (dstPath !== undefined) leftovers.set(dstPath.slice(1), undefined);
  }
  if (copyPaths === 'absolute') return fields;
  const fileList = fields.fileList?.map(({ srcPath, dstPath, ...item }) => ({
    ...item,
    srcPath: srcPath?.slice(1),
    dstPath: dstPath?.slice(1),
  }));
  return { ...fields, fileList };
}
