import type { ClockState } from '../src/control/change-clock.ts';
import type { describeContract } from '../src/control/describe-contract.ts';
import type { SessionFile, SessionService } from '../src/control/mock-session.ts';
import type { FaultRule as Rule } from '../src/faults/fault-rules.ts';
import type { LoggedJson } from '../src/session/logged-json.ts';

export type Logged = LoggedJson;
export type Message = Omit<Logged['request'], 'method' | 'target'>;
export type Violation = Logged['violations'][number];
export type FaultRule = Omit<Rule, 'fault'> & { fault: Rule['fault'] | string };
type Contract = ReturnType<typeof describeContract>;
export type Operation = Contract['operations'][number];
export type ErrorCode = Contract['errors']['gateway'][number];

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
  files: SessionFile[];
  clock: ClockState | undefined;
  faults: FaultRule[];
  services: Record<string, SessionService>;
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
