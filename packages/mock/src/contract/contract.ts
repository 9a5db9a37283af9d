import type { Router } from '@berth/server-stubs';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { Prism } from '../prism/prism.ts';

/** The documents of the contract. */
export const documents = { gateway, storage };

/** The surfaces with a document. That of storage also has the upload target. */
export type DocumentedSurface = keyof typeof documents;

/** The documents that a mock serves: those of the contract, or a draft in place of one of them. */
export interface Contract {
  /** Returns Prism for a document. It is imported with the first call that needs it. */
  readonly prism: (surface: DocumentedSurface) => Promise<Prism>;
  /** Adds the operations that only a document has to a router. Prism answers them. */
  extend<Surface extends Router>(router: Surface): Surface;
}
