import { dereference, toPointerSegment } from './dereference.ts';
import {
  METHODS,
  type Method,
  type OpenapiDocument,
  type Operation,
  type PathItem,
  type ResponseObject,
} from './openapi.ts';

/** One documented answer: an operation, a status and a content type. */
export interface Documented {
  operationId: string;
  method: Method;
  /** Path template, `/v1/cloudrun/{name}`. */
  path: string;
  /** As documented: `200`, `4XX` or `default`. */
  status: string;
  /** Absent where the answer has no documented content. */
  contentType?: string;
  /** Names of the examples, in their order. */
  examples: string[];
  response: ResponseObject;
  /** Where the response stands in the document, as a URI fragment. */
  pointer: string;
  operation: Operation;
  pathItem: PathItem;
}

/** Every answer that a document promises, in the order of the document. */
export function listDocumented(document: OpenapiDocument): Documented[] {
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
  const own = `#/paths/${toPointerSegment(place.path)}/${place.method}/responses/${status}`;
  const { value: response, pointer } = dereference<ResponseObject>(document, node, own);
  const base = { ...place, operationId: operation.operationId, response, pointer };
  const contents = Object.entries(response.content ?? {});
  if (contents.length === 0) return [{ ...base, examples: [] }];
  return contents.map(([contentType, { examples }]) => ({
    ...base,
    contentType,
    examples: Object.keys(examples ?? {}),
  }));
}
