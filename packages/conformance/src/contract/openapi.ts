import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { toProfileDocument } from '@berth/spec/profile-documents';
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { matchesMediaType } from '../http/media-type.ts';

/** The two contract documents, by the short names used in the report. */
export const APIS = ['gateway', 'storage'] as const;

export type Api = (typeof APIS)[number];

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

/** The parts of an OpenAPI document that the suite reads. */
export interface OpenapiDocument {
  info: { title: string; version: string };
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;
}

interface Operation {
  operationId: string;
  responses: Record<string, ResponseObject | Reference>;
}

interface Reference {
  $ref: string;
}

interface ResponseObject {
  headers?: Record<string, { required?: boolean } | Reference>;
  content?: Record<string, object>;
  /** More media types, which are not in `content` because other tools misread them there. */
  'x-berth-content'?: Record<string, object>;
}

/** A response that a document defines for a status and a content type. */
export interface DocumentedResponse {
  api: Api;
  operationId: string;
  /** A status, a range such as `4XX`, or `default`. */
  status: string;
  /** Absent if the response has no documented content. */
  contentType: string | undefined;
  response: ResponseObject;
  /** Location of the response in the document, as a URI fragment. */
  pointer: string;
}

/** The two contract documents and their names in messages, against which responses are checked. */
type Documents = Record<Api, { name: string; document: OpenapiDocument }>;

export const documents: Documents = {
  gateway: { name: 'gateway.v1', document: gateway as unknown as OpenapiDocument },
  storage: { name: 'storage.v2', document: storage as unknown as OpenapiDocument },
};

/** The documents with a deployment's names (D1), and all their documented responses. */
export interface Contract {
  documents: Documents;
  responses: readonly DocumentedResponse[];
}

export function toContract(profile: WireProfile = defaultWireProfile): Contract {
  const profiled = toProfileDocument(documents, profile);
  const responses = APIS.flatMap((api) => listResponses(api, profiled[api].document));
  return { documents: profiled, responses };
}

/** Lists the responses of a document. */
export function listResponses(api: Api, document: OpenapiDocument): DocumentedResponse[] {
  const operations = Object.entries(document.paths).flatMap(([path, pathItem]) =>
    METHODS.flatMap((method) => {
      const operation = pathItem[method];
      return operation ? { ...operation, place: joinPointer('#/paths', path, method) } : [];
    }),
  );
  return operations.flatMap(({ operationId, responses, place }) =>
    Object.entries(responses).flatMap(([status, node]) => {
      const pointer = `${place}/responses/${status}`;
      const { value: response, ...found } = dereference(document, node, pointer);
      const types = Object.keys({ ...response.content, ...response['x-berth-content'] });
      const contentTypes = types.length > 0 ? types : [undefined];
      return contentTypes.map((contentType) => {
        return { api, operationId, status, contentType, response, ...found };
      });
    }),
  );
}

/**
 * Returns the documented responses of an operation for a status. An exact status takes precedence over a range
 * (`4XX`), and a range over `default` (OpenAPI 3.1.1, section 4.8.16).
 */
export function findResponses(
  { responses }: Contract,
  { api, operationId }: Pick<DocumentedResponse, 'api' | 'operationId'>,
  status: number,
): DocumentedResponse[] {
  const ofOperation = responses.filter(
    (each) => each.api === api && each.operationId === operationId,
  );
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'default'];
  return (
    keys
      .map((key) => ofOperation.filter((each) => each.status === key))
      .find(({ length }) => length > 0) ?? []
  );
}

/** Returns the best match for a content type. An exact type takes precedence over a range such as `image/*`. */
export function findByContentType(
  responses: readonly DocumentedResponse[],
  type: string | undefined,
): DocumentedResponse | undefined {
  if (type === undefined) return responses.find(({ contentType }) => contentType === undefined);
  const stars = ({ contentType = '' }: DocumentedResponse) => contentType.split('*').length;
  return responses
    .filter(({ contentType = '' }) => matchesMediaType(type, contentType))
    .sort((one, other) => stars(one) - stars(other))[0];
}

/** Appends segments to a JSON pointer (RFC 6901) in the form of a URI fragment. */
export function joinPointer(pointer: string, ...names: string[]): string {
  const escaped = names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
  return [pointer, ...escaped].join('/');
}

/**
 * Follows the local `$ref`s of a node of the contract.
 *
 * @param pointer location of the node
 */
export function dereference<T extends object>(
  document: OpenapiDocument,
  node: T | Reference,
  pointer: string,
): { value: T; pointer: string } {
  if (!('$ref' in node)) return { value: node, pointer };
  const target = node.$ref
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((parent, name) => Object(parent)[name], document);
  return dereference(document, target as T | Reference, node.$ref);
}
