import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { toProfileDocument } from '@berth/spec/profile-documents';
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { toFields } from '../json.ts';

/** The two contract documents, by the short names used in the report. */
export const APIS = ['gateway', 'storage'] as const;

export type Api = (typeof APIS)[number];

const METHODS = ['get', 'post'] as const;

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
  content?: Record<string, { examples?: Record<string, { value?: unknown } | Reference> }>;
}

/** A response that a document defines for a status and a content type. */
export interface DocumentedResponse {
  api: Api;
  operationId: string;
  /** A status, a range such as `4XX`, or `default`. */
  status: string;
  contentType: string | undefined;
  response: ResponseObject;
  pointer: string;
}

export const documents: Record<Api, { name: string; document: OpenapiDocument }> = {
  gateway: { name: 'gateway.v1', document: gateway as unknown as OpenapiDocument },
  storage: { name: 'storage.v2', document: storage as unknown as OpenapiDocument },
};

/** The documents with a deployment's names (D1), and all their documented responses. */
export type Contract = ReturnType<typeof toContract>;

export function toContract(profile: WireProfile = defaultWireProfile) {
  const profiled = toProfileDocument(documents, profile);
  const responses = APIS.flatMap((api) => listResponses(api, profiled[api].document));
  return { documents: profiled, responses };
}

export function listResponses(api: Api, document: OpenapiDocument): DocumentedResponse[] {
  const listed: DocumentedResponse[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const { operationId = '', responses = {} } = item[method] ?? {};
      for (const [status, node] of Object.entries(responses)) {
        const place = joinPointer('#/paths', path, method, 'responses', status);
        const { value: response, pointer } = dereference(document, node, place);
        const types = Object.keys(response.content ?? {});
        for (const contentType of types.length > 0 ? types : [undefined]) {
          listed.push({ api, operationId, status, contentType, response, pointer });
        }
      }
    }
  }
  return listed;
}

/** Prefers an exact status to a range, and that to `default` (OpenAPI 3.1.1, section 4.8.16); then the media type. */
export function findResponse(
  { responses }: Contract,
  { api, operationId }: Pick<DocumentedResponse, 'api' | 'operationId'>,
  status: number,
  mediaType?: string,
): DocumentedResponse | undefined {
  const all = responses.filter((each) => each.api === api && each.operationId === operationId);
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'default'];
  const key = keys.find((name) => all.some((each) => each.status === name));
  const found = all.filter((each) => each.status === key);
  return found.find(({ contentType }) => contentType === mediaType) ?? found[0];
}

/** Appends segments to a JSON pointer (RFC 6901) in the form of a URI fragment. */
export function joinPointer(pointer: string, ...names: string[]): string {
  const escaped = names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
  return [pointer, ...escaped].join('/');
}

/** Follows the local `$ref`s of a node of the contract, whose location is `pointer`. */
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
    .reduce<unknown>((parent, name) => toFields(parent)[name], document);
  return dereference(document, target as T | Reference, node.$ref);
}
