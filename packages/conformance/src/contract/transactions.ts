import { APIS, type Api, documents } from './documents.ts';
import { type Documented, listDocumented } from './operations.ts';

/** One documented answer of one of the two documents: what the suite reports about. */
export interface Transaction extends Documented {
  api: Api;
}

/** All documented answers of the contract, in the order of the documents. */
export const transactions: readonly Transaction[] = APIS.flatMap((api) =>
  listDocumented(documents[api].document).map((documented) => ({ api, ...documented })),
);

/** What a report says of a transaction before it is judged. */
interface Place {
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

/**
 * How a documented status other than 200 is brought about:
 *
 * - `unknown-service`: a service name that nobody has deployed (SERVICE_NOT_FOUND, status 404)
 * - `bad-name`: a name outside the pattern, which is 4xx with the error body (D6)
 * - `forbidden-service`: the service that the operator named (SERVICE_FORBIDDEN, status 403)
 * - `missing-field`: a body without its required fields, which is refused (D30)
 * - `none`: no request does it on an unknown deployment
 */
interface Provocation {
  kind: 'unknown-service' | 'forbidden-service' | 'bad-name' | 'missing-field' | 'none';
  /** The status under which it stands in the OpenAPI 3.0 copy; Dredd reads no ranges. */
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

/** How a documented status is brought about; `undefined` where the plain request does it. */
export function findProvocation({
  api,
  status,
}: {
  api: Api;
  status: string;
}): Provocation | undefined {
  return PROVOCATIONS[api][status];
}
