import { FOLDER, type Run } from '../context/run.ts';
import { toForm } from '../context/storage-client.ts';
import { dereference, type Parameter } from '../contract/openapi.ts';
import {
  documents,
  expandPath,
  findProvocation,
  type Transaction,
} from '../contract/operations.ts';
import { type Call, type HeaderList, toTarget, withHeaders } from '../http/exchange.ts';

/** A request that Dredd created from the examples of a document. */
interface ExampleRequest {
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: string;
}

/**
 * Adapts a request of Dredd to this target, and adds the credentials.
 *
 * @param fileId file ID that the target returned for a path of this run, if any
 */
export async function prepareRequest(
  transaction: Transaction,
  { method, headers: example, body: exampleBody }: ExampleRequest,
  run: Run,
  fileId: string | undefined,
): Promise<Call> {
  const { settings } = run;
  const isGateway = transaction.api === 'gateway';
  const url = settings[`${transaction.api}Url`] + toPath(transaction, run);
  const host: HeaderList =
    isGateway && settings.gatewayHost ? [['Host', settings.gatewayHost]] : [];
  const headers = withHeaders(example, host);
  const body = Buffer.from(isGateway ? exampleBody : toStorageBody());
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const credentials = (await signer?.({ method, url, headers, body })) ?? [];
  const { origin } = new URL(url);
  return {
    method,
    origin,
    target: toTarget(url),
    headers: withHeaders(headers, credentials),
    body,
  };

  function toStorageBody(): string {
    const isIncomplete = findProvocation(transaction)?.kind === 'missing-field';
    const folder = `${FOLDER}/${run.mark}/dredd`;
    const fields = isIncomplete ? {} : toScratch(JSON.parse(exampleBody), folder, fileId);
    return JSON.stringify(toForm(fields as object, run.requestForm));
  }
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
