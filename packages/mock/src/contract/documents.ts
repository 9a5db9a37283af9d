import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { OpenApiDocument } from './open-api.ts';
import { resolveRefs } from './resolve-refs.ts';

/** The two documents of the contract, with every `$ref` resolved. */
export const documents = {
  gateway: resolveRefs(gateway) as unknown as OpenApiDocument,
  storage: resolveRefs(storage) as unknown as OpenApiDocument,
};

export type Documents = typeof documents;
export type DocumentName = keyof Documents;
