import type { GatewayCall, GatewayInput } from '@berth/server-stubs';
import type { OpenEnds } from '../open-ends.ts';
import type { Params } from '../routes/match-route.ts';
import type { MockedAnswer } from '../services.ts';

/** A call on the route that fits it. */
export interface RouteContext {
  readonly input: GatewayInput;
  readonly call: GatewayCall;
  readonly params: Params;
  /** What the service keeps between calls of the session. */
  readonly memory: () => Map<string, unknown>;
  readonly openEnds: OpenEnds;
  /** Tells whoever runs the mock that a function failed. */
  readonly report: (error: unknown) => void;
}

/** Answers the calls of one route. */
export type Answerer = (context: RouteContext) => MockedAnswer | Promise<MockedAnswer>;
