import type { Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { documents, type Transaction } from '../contract/documents.ts';
import { dereference, type Parameter } from '../contract/openapi.ts';
import { expandPath, findProvocation } from '../contract/operations.ts';
import type { Call } from '../http/exchange.ts';
import {
  type HeaderList,
  type SentRequest,
  splitTarget,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';

/** Adapts a request that Dredd created from the examples to this target. */
export async function prepareRequest(
  transaction: Transaction,
  drafted: Omit<SentRequest, 'url'>,
  run: Run,
  fileId: string | undefined,
): Promise<Call> {
  const { settings } = run;
  const isGateway = transaction.api === 'gateway';
  const base = isGateway ? settings.gatewayUrl : settings.storageUrl;
  const url = base + toPath(transaction, run);
  const body = Buffer.from(toBody(transaction, drafted, run, fileId));
  const prefer = settings.preferCode ? toHeaderList(toPrefer(transaction)) : [];
  const host: HeaderList =
    isGateway && settings.gatewayHost ? [['Host', settings.gatewayHost]] : [];
  const drafts = toHeaderList(drafted.headers).filter(([name]) => !/^content-length$/i.test(name));
  const headers = withHeaders(drafts, [...host, ...prefer]);
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const { method } = drafted;
  const { origin } = new URL(url);
  const { pathname, search } = splitTarget(url);
  const target = search === '' ? pathname : `${pathname}?${search}`;
  const credentials = (await signer?.({ method, url, headers, body })) ?? [];
  return { method, origin, target, headers: withHeaders(headers, credentials), body };
}

/**
 * `Prefer: code=…` (RFC 7240) for the statuses that depend on what is deployed. Mocks support it; any
 * other server may ignore it.
 */
function toPrefer(transaction: Transaction): Record<string, string> {
  const provocation = findProvocation(transaction);
  return provocation?.kind === 'none' ? { Prefer: `code=${provocation.copyStatus}` } : {};
}

/** Where the files of an example are moved to. */
interface Scratch {
  folder: string;
  /** File ID that the target returned for a path of this run, if any. */
  fileId: string | undefined;
}

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
export function toScratch(value: unknown, scratch: Scratch): unknown {
  if (typeof value === 'string') return moveString(value, scratch);
  if (Array.isArray(value)) return value.map((item) => toScratch(item, scratch));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toScratch(item, scratch)]),
  );
}

function moveString(value: string, { folder, fileId }: Scratch): string {
  const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
  if (prefix.includes('://') && fileId !== undefined) return fileId;
  return `${prefix}${folder}/${path}`;
}

/** The text that the fixture service returns, if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

function toPath(transaction: Transaction, run: Run): string {
  const { document } = documents[transaction.api];
  const examples = (transaction.pathItem.parameters ?? [])
    .map((node) => dereference<Parameter>(document, node, '').value)
    .map(({ name, example }) => [name, String(example)]);
  const values = { envId: run.settings.env, name: toServiceName(transaction, run) };
  if (transaction.contentType === 'text/plain' && transaction.status === '200') {
    return expandPath('/v1/cloudrun/{name}', values) + TEXT_PATH;
  }
  return expandPath(transaction.path, { ...Object.fromEntries(examples), ...values });
}

function toServiceName(transaction: Transaction, { settings, mark }: Run): string {
  switch (findProvocation(transaction)?.kind) {
    case 'unknown-service':
      return `no-such-service-${mark}`;
    case 'forbidden-service':
      return settings.forbiddenService ?? settings.service;
    case 'bad-name':
      return `0${mark}-`;
    default:
      return settings.service;
  }
}

function toBody(
  transaction: Transaction,
  { body }: Pick<SentRequest, 'body'>,
  { settings, mark, requestForm }: Run,
  fileId: string | undefined,
): string {
  if (transaction.api !== 'storage') return body;
  const isMissing = findProvocation(transaction)?.kind === 'missing-field';
  const folder = `${settings.prefix}/${mark}/dredd`;
  const fields = isMissing ? {} : toScratch(JSON.parse(body), { folder, fileId });
  return JSON.stringify(toForm(fields as object, requestForm));
}
