import type { Api } from '../contract/apis.ts';
import type { GatewayScheme, Signer, Signers } from '../credentials/create-signers.ts';
import type { Agents } from '../http/agents.ts';
import type { Health } from '../http/health.ts';
import type { Pace } from '../http/pace.ts';
import type { Settings } from '../options.ts';
import type { RequestForm } from '../requests/request-form.ts';
import type { Leftovers } from './leftovers.ts';
import type { RunSecrets } from './secrets.ts';

/** Why an API takes no call at all. */
export interface Refusal {
  /** With status and code, and the option that may help. */
  reason: string;
  /** Credentials were given, and are at fault. */
  isOfCredentials: boolean;
}

/** What all checks of one run share. */
export interface Run {
  readonly settings: Settings;
  /** Random part of every name that the run makes up, so that nothing real is ever touched. */
  readonly mark: string;
  readonly agents: Agents;
  readonly pace: Pace;
  readonly health: Health;
  /** Ends the run: its time is up, or its caller gives up. */
  readonly signal: AbortSignal;
  readonly signers: Signers;
  readonly secrets: RunSecrets;
  readonly leftovers: Leftovers;
  /** The form of the storage requests; known before the first check. */
  requestForm: RequestForm;
  /** The scheme that the gateway was found to accept, and its signer; known before the first check. */
  gatewayScheme?: GatewayScheme;
  gatewaySigner?: Signer;
  /** Where every call is refused: nothing can be learnt there. */
  refused: Partial<Record<Api, Refusal>>;
  /** Whether the fixture service was found behind the gateway; otherwise why not. */
  fixture: true | string;
}
