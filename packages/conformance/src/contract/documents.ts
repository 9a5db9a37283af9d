import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import gatewayCopy from '../generated/gateway.v1.openapi30.gen.json' with { type: 'json' };
import storageCopy from '../generated/storage.v2.openapi30.gen.json' with { type: 'json' };
import { APIS, type Api, type OpenapiDocument } from './openapi.ts';
import { type Documented, listDocumented } from './operations.ts';

interface Contract {
  /** Name of the document in messages: `storage.v2`. */
  name: string;
  document: OpenapiDocument;
  /** The OpenAPI 3.0 copy that Dredd uses. */
  copy: OpenapiDocument;
}

/** The two contract documents, against which every response is checked. */
export const documents: Record<Api, Contract> = {
  gateway: {
    name: 'gateway.v1',
    document: gateway as unknown as OpenapiDocument,
    copy: gatewayCopy as unknown as OpenapiDocument,
  },
  storage: {
    name: 'storage.v2',
    document: storage as unknown as OpenapiDocument,
    copy: storageCopy as unknown as OpenapiDocument,
  },
};

/** A documented response in one of the two documents. The report calls it a transaction. */
export interface Transaction extends Documented {
  api: Api;
}

/** All documented responses of the contract, in document order. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listDocumented(documents[api].document).map((documented) => ({ api, ...documented })),
);

/**
 * Returns what a report states about a transaction before it runs. Its name consists of its operationId, status and
 * content type: `storage batchDelete 200 application/json`.
 */
export function toPlace({ api, operationId, status, contentType }: Transaction) {
  const name = [api, operationId, status, contentType].filter(Boolean).join(' ');
  return { name, api, operationId, status, ...(contentType !== undefined && { contentType }) };
}
