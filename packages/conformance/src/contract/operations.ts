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
  type OpenapiDocument,
  type ResponseObject,
} from './openapi.ts';

/** A documented response in one of the two documents. */
export interface Transaction {
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

/** The documents in the words of a deployment (D1), and all their documented responses. */
export interface Contract {
  documents: Documents;
  transactions: readonly Transaction[];
}

export function toContract(profile: WireProfile = defaultWireProfile): Contract {
  const own = toProfileDocument(documents, profile);
  const transactions = APIS.flatMap((api) => listResponses(api, own[api].document));
  return { documents: own, transactions };
}

function listResponses(api: Api, document: OpenapiDocument): Transaction[] {
  const operations = Object.entries(document.paths).flatMap(([path, pathItem]) =>
    METHODS.flatMap((method) => {
      const operation = pathItem[method];
      return operation ? { ...operation, place: joinPointer('#/paths', path, method) } : [];
    }),
  );
  return operations.flatMap(({ operationId, responses, place }) =>
    Object.entries(responses).flatMap(([status, node]) => {
      const { value: response, pointer } = dereference<ResponseObject>(
        document,
        node,
        `${place}/responses/${status}`,
      );
      const types = Object.keys({ ...response.content, ...response['x-berth-content'] });
      const contentTypes = types.length > 0 ? types : [undefined];
      return contentTypes.map((contentType) => {
        return { api, operationId, status, contentType, response, pointer };
      });
    }),
  );
}

/**
 * Returns the documented responses of an operation for a status. An exact status takes precedence over a range
 * (`4XX`), and a range over `default` (OpenAPI 3.1.1, section 4.8.16).
 */
export function findResponses(
  { transactions }: Contract,
  { api, operationId }: Pick<Transaction, 'api' | 'operationId'>,
  status: number,
): Transaction[] {
  const ofOperation = transactions.filter(
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
  responses: readonly Transaction[],
  type: string | undefined,
): Transaction | undefined {
  if (type === undefined) return responses.find(({ contentType }) => contentType === undefined);
  const stars = ({ contentType = '' }: Transaction) => contentType.split('*').length;
  return responses
    .filter(({ contentType = '' }) => matchesMediaType(type, contentType))
    .sort((one, other) => stars(one) - stars(other))[0];
}
