import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import gatewayCopy from '../generated/gateway.v1.openapi30.gen.json' with { type: 'json' };
import storageCopy from '../generated/storage.v2.openapi30.gen.json' with { type: 'json' };
import type { Api } from './apis.ts';
import type { Copy } from './copies.ts';
import type { OpenapiDocument } from './openapi.ts';

interface Contract {
  /** Name of the document in messages: `storage.v2`. */
  name: string;
  document: OpenapiDocument;
  /** The OpenAPI 3.0 copy that Dredd drives. */
  copy: Copy;
}

/** The two documents of the contract, which every answer is judged by. */
export const documents: Record<Api, Contract> = {
  gateway: {
    name: 'gateway.v1',
    document: gateway as unknown as OpenapiDocument,
    copy: gatewayCopy as unknown as Copy,
  },
  storage: {
    name: 'storage.v2',
    document: storage as unknown as OpenapiDocument,
    copy: storageCopy as unknown as Copy,
  },
};
