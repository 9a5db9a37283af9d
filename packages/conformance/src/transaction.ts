import { APIS, type Api } from './contract/apis.ts';
import { documents } from './contract/documents.ts';
import { type Documented, listDocumented } from './contract/list-documented.ts';

/** One documented answer of one of the two documents: what the suite reports about. */
export interface Transaction extends Documented {
  api: Api;
}

/** All documented answers of the contract, in the order of the documents. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listDocumented(documents[api].document).map((documented) => ({ api, ...documented })),
);

/** What a report says of a transaction before it is judged. */
export interface Place {
  /** `storage batchDelete 200 application/json` */
  name: string;
  api: Api;
  operationId: string;
  /** The documented status: `200`, `4XX` or `default`. */
  status: string;
  contentType?: string;
}

/** Names a transaction by operationId, status and content type. */
export function toPlace({ api, operationId, status, contentType }: Transaction): Place {
  const name = [api, operationId, status, contentType].filter(Boolean).join(' ');
  const place = { name, api, operationId, status };
  return contentType === undefined ? place : { ...place, contentType };
}
