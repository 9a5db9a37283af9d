import type { RouteTable } from '@berth/server-stubs';
import { type DocumentName, type Documents, documents } from './documents.ts';
import { listOperations, type Operation } from './operations.ts';

/** What a mock serves: the two documents, and what is made of them. */
export interface Contract {
  readonly documents: Documents;
  readonly operations: readonly Operation[];
  /** What was generated from own documents; absent for a document that is the contract's. */
  readonly routes: Readonly<Partial<Record<DocumentName, RouteTable>>>;
}

/** The contract that this version of the mock was built with. */
export const standardContract: Contract = {
  documents,
  operations: listOperations(documents),
  routes: {},
};
