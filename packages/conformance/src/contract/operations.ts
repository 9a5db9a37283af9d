import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { toProfileDocument } from '@berth/spec/profile-documents';
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { matchesMediaType } from '../http/media-type.ts';
import {
  APIS,
  type Api,
  dereference,
  joinPointer,
  METHODS,
  type Method,
  type OpenapiDocument,
  type Operation,
  type PathItem,
  type ResponseObject,
} from './openapi.ts';

interface Documented {
  operationId: string;
  method: Method;
  /** Path template, such as `/v1/cloudrun/{name}`. */
  path: string;
  status: string;
  /** Absent if the response has no documented content. */
  contentType?: string;
  response: ResponseObject;
  /** Location of the response in the document, as a URI fragment. */
  pointer: string;
  operation: Operation;
  pathItem: PathItem;
}

function listDocumented(document: OpenapiDocument): Documented[] {
  return Object.entries(document.paths).flatMap(([path, pathItem]) =>
    METHODS.flatMap((method) => {
      const operation = pathItem[method];
      if (operation === undefined) return [];
      return Object.keys(operation.responses).flatMap((status) =>
        listContents(document, { path, pathItem, method, operation, status }),
      );
    }),
  );
}

type Place = Pick<Documented, 'path' | 'pathItem' | 'method' | 'operation' | 'status'>;

function listContents(document: OpenapiDocument, place: Place): Documented[] {
  const { operation, status } = place;
  const node = operation.responses[status] as ResponseObject;
  const own = joinPointer('#/paths', place.path, place.method, 'responses', status);
  const { value: response, pointer } = dereference<ResponseObject>(document, node, own);
  const base = { ...place, operationId: operation.operationId, response, pointer };
  const contents = Object.keys({ ...response.content, ...response['x-berth-content'] });
  if (contents.length === 0) return [base];
  return contents.map((contentType) => ({ ...base, contentType }));
}

/**
 * Returns the documented responses for a status. An exact status takes precedence over a range (`4XX`), and a
 * range over `default` (OpenAPI 3.1.1, section 4.8.16).
 */
export function findByStatus<Entry extends { status: string }>(
  documented: readonly Entry[],
  status: number,
): Entry[] {
  const range = `${Math.floor(status / 100)}XX`;
  for (const key of [String(status), range, 'default']) {
    const found = documented.filter((entry) => entry.status === key);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns the best match for a content type. An exact type takes precedence over a range such as `image/*`. */
function findByMediaType<Entry>(
  entries: readonly Entry[],
  contentType: string,
  typeOf: (entry: Entry) => string | undefined,
): Entry | undefined {
  const stars = (entry: Entry) => typeOf(entry)?.split('*').length ?? 0;
  return entries
    .filter((entry) => matchesMediaType(contentType, typeOf(entry) ?? ''))
    .sort((one, other) => stars(one) - stars(other))[0];
}

export function findByContentType<Entry extends { contentType?: string }>(
  entries: readonly Entry[],
  type: string | undefined,
): Entry | undefined {
  if (type === undefined) return entries.find(({ contentType }) => contentType === undefined);
  return findByMediaType(entries, type, ({ contentType }) => contentType);
}

/**
 * Expands a path template with percent-encoded values.
 *
 * @throws Error if the template has a parameter without a value
 * @example
 * expandPath('/v1/cloudrun/{name}', { name: 'hello' }); // '/v1/cloudrun/hello'
 */
export function expandPath(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: no value for ${name}`);
    return encodeURIComponent(value);
  });
}

/**
 * How a documented status other than 200 can be triggered:
 *
 * - `unknown-service`: a service name that is not deployed (SERVICE_NOT_FOUND, status 404)
 * - `bad-name`: a name outside the pattern, which is 4xx with the error body (D6)
 * - `forbidden-service`: the service that the operator specified (SERVICE_FORBIDDEN, status 403)
 * - `missing-field`: a body without its required fields, which is rejected (D30)
 * - `none`: no request triggers it on an arbitrary deployment
 */
interface Provocation {
  kind: 'unknown-service' | 'forbidden-service' | 'bad-name' | 'missing-field' | 'none';
  /** Its status in the OpenAPI 3.0 copy; Dredd does not support ranges. */
  copyStatus: string;
}

const PROVOCATIONS: Record<Api, Record<string, Provocation>> = {
  gateway: {
    '403': { kind: 'forbidden-service', copyStatus: '403' },
    '404': { kind: 'unknown-service', copyStatus: '404' },
    default: { kind: 'bad-name', copyStatus: '400' },
  },
  storage: {
    '4XX': { kind: 'missing-field', copyStatus: '400' },
    default: { kind: 'none', copyStatus: '500' },
  },
};

/** Returns how to trigger a documented status, or `undefined` if the plain request triggers it. */
export function findProvocation({
  api,
  status,
}: {
  api: Api;
  status: string;
}): Provocation | undefined {
  return PROVOCATIONS[api][status];
}

/** The two contract documents and their names in messages, against which responses are checked. */
type Documents = Record<Api, { name: string; document: OpenapiDocument }>;

export const documents: Documents = {
  gateway: { name: 'gateway.v1', document: gateway as unknown as OpenapiDocument },
  storage: { name: 'storage.v2', document: storage as unknown as OpenapiDocument },
};

/** A documented response in one of the two documents. The report calls it a transaction. */
export interface Transaction extends Documented {
  api: Api;
}

/** The documents in the words of a deployment (D1), and all their documented responses, in document order. */
export interface Contract {
  documents: Documents;
  transactions: readonly Transaction[];
}

export function toContract(profile: WireProfile = defaultWireProfile): Contract {
  const own = toProfileDocument(documents, profile);
  const transactions = APIS.flatMap((api) =>
    listDocumented(own[api].document).map((documented) => ({ api, ...documented })),
  );
  return { documents: own, transactions };
}

/**
 * Returns what a report states about a transaction before it runs. Its name consists of its operationId, status and
 * content type: `storage batchDelete 200 application/json`.
 */
export function toPlace({ api, operationId, status, contentType }: Transaction) {
  const name = [api, operationId, status, contentType].filter(Boolean).join(' ');
  return { name, api, operationId, status, ...(contentType !== undefined && { contentType }) };
}
