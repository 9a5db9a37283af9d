import type { Drafted, SentRequest } from '../http-messages.ts';

/** Parent to child, once: what to drive. */
export interface Start {
  kind: 'start';
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** Longest silence while waiting for an answer, in milliseconds. */
  timeout: number;
  /** Names of the transactions that are not to be driven. */
  skip: string[];
}

/** How Dredd calls a transaction, in terms of the contract. */
export interface DreddKey {
  /** Title of the document. */
  title: string;
  operationId: string;
  /** Status in the OpenAPI 3.0 copy. */
  copyStatus: string;
  contentType: string;
}

/** Child to parent. A `before` waits for the `request` of the parent. */
export type FromChild =
  | { kind: 'names'; names: string[] }
  | { kind: 'before'; name: string; key: DreddKey; request: Drafted }
  | { kind: 'answer'; name: string }
  | { kind: 'failed'; name: string; message: string }
  | { kind: 'warnings'; messages: string[] }
  | { kind: 'end'; error?: string };

/** Parent to child, the reply to `before`: what to send, if anything. */
export interface Send {
  kind: 'request';
  request?: SentRequest;
}
