import type { Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { documents, type Transaction } from '../contract/documents.ts';
import { dereference, type Parameter } from '../contract/openapi.ts';
import { expandPath, findProvocation } from '../contract/operations.ts';
import { type Call, type HeaderList, toTarget, withHeaders } from '../http/exchange.ts';
import type { Draft } from './compile.ts';

/**
 * Adapts a request that Dredd created from the examples to this target.
 *
 * @param fileId file ID that the target returned for a path of this run, if any
 */
export async function prepareRequest(
  transaction: Transaction,
  { method, headers: drafted, body: example }: Draft,
  run: Run,
  fileId: string | undefined,
): Promise<Call> {
  const { settings } = run;
  const isGateway = transaction.api === 'gateway';
  const url = settings[`${transaction.api}Url`] + toPath(transaction, run);
  const provocation = findProvocation(transaction);
  // RFC 7240, for statuses that depend on what is deployed. Mocks support it; others may ignore it.
  const prefers = settings.preferCode && provocation?.kind === 'none';
  const more: HeaderList = [
    ...(isGateway && settings.gatewayHost ? [['Host', settings.gatewayHost] as const] : []),
    ...(prefers ? [['Prefer', `code=${provocation.copyStatus}`] as const] : []),
  ];
  const headers = withHeaders(drafted, more);
  const folder = `${settings.prefix}/${run.mark}/dredd`;
  const fields = () =>
    provocation?.kind === 'missing-field' ? {} : toScratch(JSON.parse(example), folder, fileId);
  const body = Buffer.from(
    isGateway ? example : JSON.stringify(toForm(fields() as object, run.requestForm)),
  );
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const credentials = (await signer?.({ method, url, headers, body })) ?? [];
  const { origin } = new URL(url);
  const target = toTarget(url);
  return { method, origin, target, headers: withHeaders(headers, credentials), body };
}

/**
 * Replaces every path and file ID in an example request with one in this run's folder, so that no real file
 * is touched. Each string in a storage request is a path or a file ID.
 */
function toScratch(value: unknown, folder: string, fileId: string | undefined): unknown {
  if (typeof value === 'string') {
    const [, prefix = '', path = ''] = /^(\w+:\/\/[^/]*\/|\/?)(.*)$/s.exec(value) ?? [];
    return prefix.includes('://') && fileId !== undefined ? fileId : `${prefix}${folder}/${path}`;
  }
  if (Array.isArray(value)) return value.map((item) => toScratch(item, folder, fileId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toScratch(item, folder, fileId)]),
  );
}

/** The text that the fixture service returns, if plain text is documented. */
const TEXT_PATH = '/respond?type=text%2Fplain&body=Hello.';

function toPath(transaction: Transaction, { settings, mark }: Run): string {
  const { env, service, forbiddenService = service } = settings;
  const names: Record<string, string> = {
    'unknown-service': `no-such-service-${mark}`,
    'forbidden-service': forbiddenService,
    'bad-name': `0${mark}-`,
  };
  const name = names[findProvocation(transaction)?.kind ?? ''] ?? service;
  if (transaction.contentType === 'text/plain' && transaction.status === '200') {
    return expandPath('/v1/cloudrun/{name}', { name }) + TEXT_PATH;
  }
  const examples = (transaction.pathItem.parameters ?? [])
    .map((node) => dereference<Parameter>(documents[transaction.api].document, node, '').value)
    .map((parameter) => [parameter.name, String(parameter.example)]);
  return expandPath(transaction.path, { ...Object.fromEntries(examples), envId: env, name });
}
