import type { ServerResponse } from 'node:http';
import type { MutatedAnswer, MutatedRequest } from '../proxy/messages.ts';

/** A fault of a deployment, made on the wire between the suite and the reference server. */
export interface Mutant {
  /** The rule that it breaks. */
  rule: string;
  /** What is broken, as a sentence: `an answer to a GET carries no Content-Disposition`. */
  breaks: string;
  /** Other rules that cannot but fail with it. */
  companions: readonly string[];
  /** Called once for each run, so that a mutant may have a memory. */
  create: (context: MutantContext) => Hooks;
}

/** What a mutant may use; its own calls go to the server and not through the mutant. */
export interface MutantContext {
  /** Address of the reference server behind the mutant. */
  serverUrl: string;
  /** Address of the mutant: what upload addresses and links begin with. */
  publicUrl: string;
  env: string;
  /** `Authorization` that the server accepts: to let in what should be refused. */
  authorization: string;
  /** `Authorization` for the other environment of the server. */
  otherAuthorization: string;
  /** Headers of a storage call that the server accepts. */
  storageHeaders: () => Record<string, string>;
  /** Makes a storage call with good credentials, and returns `data` of the answer. */
  storage: (operation: string, fields: object) => Promise<Record<string, unknown> | undefined>;
  /** Makes any call of the server; `target` is path and query. */
  call: (call: {
    method: string;
    target: string;
    headers: Record<string, string>;
    body?: Buffer | string;
  }) => Promise<MutatedAnswer>;
  /** Verifies a signature, version 3, with the key pair of the server: for mutants that are lax about it. */
  keyPair: { id: string; secret: string };
}

/** Where a mutant takes part. Without a hook everything passes unchanged, streamed. */
export interface Hooks {
  /**
   * A request before it reaches the server, its body read whole; a change of it goes on. A MutatedAnswer
   * that is returned, or promised, is given instead of the server's. `answer` is not called for it.
   */
  request?: (request: MutatedRequest) => unknown;
  /** An answer before it reaches the caller, its body read whole, except for event streams. */
  answer?: (answer: MutatedAnswer, request: MutatedRequest) => void | Promise<void>;
  /** The caller broke off; the body is what had come. Only with `request` or `broken`. */
  broken?: (request: MutatedRequest) => void | Promise<void>;
  /** Hold an event stream back until it ends, and then call `answer` with its whole body. */
  buffersEvents?: boolean;
  /** Let request bodies through as they come; `request` then sees an empty body and cannot change it. */
  streamsRequests?: boolean;
  /** Before the head of a response is written: for 1xx responses and the reason phrase. */
  early?: (outgoing: ServerResponse) => void;
  /** Send bodies in chunks of so many bytes and without a length, event streams too. */
  chunkBytes?: number;
  /** A handshake before it reaches the server; a MutatedAnswer that is returned refuses it. */
  upgrade?: (request: MutatedRequest) => unknown;
  /** Headers of the 101 before they reach the caller; for its body there is no use. */
  upgraded?: (answer: MutatedAnswer, request: MutatedRequest) => void;
  /** A WebSocket message on its way; `undefined` drops it. */
  message?: (message: SocketMessage) => SocketMessage | SocketMessage[] | undefined;
  /** The end of a WebSocket on its way to the other side. */
  close?: (end: SocketEnd) => SocketEnd;
}

export interface SocketMessage {
  from: 'caller' | 'service';
  binary: boolean;
  data: Buffer;
  /** In a fragment of a message: whether it is the last. Without it the message is whole. */
  fin?: boolean;
}

interface SocketEnd {
  from: 'caller' | 'service';
  code: number;
  reason: string;
}
