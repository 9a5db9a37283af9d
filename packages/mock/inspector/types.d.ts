/** The part of the control API's responses that the page shows. */

export interface Message {
  headers: Record<string, string | string[]>;
  /** Text of the first bytes; Base64 if they are not UTF-8. */
  body?: { text: string } | { base64: string };
  bodyBytes: number;
}

export interface Violation {
  in: string;
  pointer: string;
  keyword: string;
  message: string;
  schemaPath: string;
}

export interface Logged {
  id: string;
  at: number;
  surface: string;
  operationId?: string;
  service?: string;
  matched: boolean;
  request: Message & { method: string; target: string };
  response?: Message & { status: number; ms: number };
  violations: Violation[];
  responseViolations: Violation[];
  faults: string[];
}

export interface FaultRule {
  name: string;
  match?: string;
  share?: number;
  times?: number;
  fault: Record<string, unknown> | string;
}

interface StoredFile {
  path: string;
  size: number;
  contentType: string;
  modified: string;
}

interface Service {
  routes?: string[];
  state?: { code: string; until?: string };
}

interface Clock {
  now: string;
  offset: number;
  frozen: boolean;
}

export interface Operation {
  operationId: string;
  surface: string;
  method: string;
  path: string;
  summary?: string;
  description?: string;
  request?: unknown;
  examples?: Record<string, unknown>;
}

export interface ErrorCode {
  code: string;
  status: number;
  message: string;
}

interface Contract {
  operations: Operation[];
  errors: Record<string, ErrorCode[]>;
  documents: { path: string; title: string; type: string }[];
}

interface Info {
  version: string;
  url: string;
  env: string;
  sessions?: string[];
  /** Names on the wire, which a wire profile may change. */
  names: {
    storageHeaders: { authorization: string; sessionToken: string; timestamp: string };
    uploadFields: { securityToken: string; metaFileId: string };
    storeFileID: string;
  };
}

export type Tab = 'requests' | 'try' | 'state' | 'faults' | 'reference';

export interface State {
  tab: Tab;
  session: string;
  /** By ID, oldest first. */
  requests: Map<string, Logged>;
  selected: string | undefined;
  text: string;
  only: 'all' | 'violations' | 'unmatched' | 'errors';
  isLive: boolean;
  isHelpOpen: boolean;
  notice: { text: string; isFailure: boolean } | undefined;
  info: Info | undefined;
  contract: Contract | undefined;
  files: StoredFile[];
  clock: Clock | undefined;
  faults: FaultRule[];
  services: Record<string, Service>;
  /** Errors in service files. */
  serviceFaults: string[];
  /** The call to try. `params` are the values of its path parameters. */
  draft: {
    operationId: string;
    params: Record<string, string>;
    credentials: string;
    body: string;
  };
  /** The last upload grant: the path to send the form to, and its fields. */
  grant: { target: string; form: Record<string, unknown> } | undefined;
  /** The response to the last call that was tried. */
  reply:
    | (Message & { title: string; isOk: boolean; id: string | undefined; body: { text: string } })
    | undefined;
}
