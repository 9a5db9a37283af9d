import type { SentenceId } from '../../src/generated/rule-ids.gen.ts';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';

/** A fault in a deployment. A proxy between the suite and the reference server injects it. */
export interface Mutant {
  /** The sentence that it breaks. */
  id: SentenceId;
  /** What is broken, as a sentence: `a JSON response to a GET has no Content-Disposition`. */
  breaks: string;
  /** Called once per run, so that a mutant can keep state. */
  create: (context: MutantContext) => Hooks;
}

type Row = Mutant['create'] | Hooks;

/** Mutants by the rule that they break and what they break: `GW-C1: a JSON response to a GET has no …`. */
export type Rows = { readonly [row in `${SentenceId}: ${string}`]: Row };

/** Reads and changes files with calls that the mutant makes itself. */
export interface Files {
  fileIdOf(path: unknown): Promise<string>;
  /** Returns the bytes of a file; `undefined` if it does not exist. */
  readId(fileID: string): Promise<Buffer | undefined>;
  read(path: unknown): Promise<Buffer | undefined>;
  store(path: unknown, bytes?: Buffer): Promise<void>;
  remove(path: unknown): Promise<void>;
}

/** The context that a mutant can use. Calls that the mutant makes itself are sent directly to the server. */
export interface MutantContext extends Files {
  /** URL of the server behind the mutant. */
  server: string;
  /** URL of the mutant: the base of upload URLs and links. */
  publicUrl: string;
  env: string;
  /** An `Authorization` value that the server accepts, for requests that it should reject. */
  authorization: string;
  /** An `Authorization` value for the server's other environment. */
  otherAuthorization: string;
  /** An `Authorization` value that has expired. */
  expiredAuthorization: string;
  /** Headers for a storage call that the server accepts. */
  storageHeaders: () => Record<string, string>;
  /** Makes a storage call with valid credentials, and returns `data` from the response. */
  storage: (operation: string, fields: object) => Promise<Record<string, unknown> | undefined>;
  /** Makes any call to the server; `target` is path and query. */
  call: (call: {
    method: string;
    target: string;
    headers: Record<string, string>;
    body?: Buffer | string;
  }) => Promise<MutatedResponse>;
  /** The server's key pair, for mutants that verify signatures themselves. */
  keyPair: { id: string; secret: string };
}

export function toMutants(rows: Rows): Mutant[] {
  return Object.entries(rows).map(([name, row]) => {
    const [id, breaks = ''] = name.split(/: (.*)/);
    return { id: id as SentenceId, breaks, create: typeof row === 'function' ? row : () => row };
  });
}
