import { randomBytes } from 'node:crypto';
import type { Api } from '../contract/openapi.ts';
import { Caller, type CallerOptions } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import { Pace } from '../http/pace.ts';
import { createSigners, type GatewayScheme } from '../http/sign.ts';
import type { Invariants } from '../invariants/invariant.ts';
import { Observer } from '../invariants/observer.ts';
import type { NotRun } from '../not-run.ts';
import type { CopyPaths, RequestForm, Settings } from '../options.ts';
import { createRedactor } from '../redact.ts';

/** The folder for all files that runs store. Each run removes its own at the end. */
export const FOLDER = 'berth-conformance';

/** What the deployment accepts, as `prepare` finds out. */
export interface Accepted {
  readonly requestForm: RequestForm;
  readonly copyPaths: CopyPaths;
  readonly gatewayScheme?: GatewayScheme | undefined;
  /** What the deployment lacks: the fixture service, responses to WebSocket handshakes, or an API that accepts calls. */
  readonly missing: Readonly<Partial<Record<'fixture' | 'webSocket' | Api, NotRun | undefined>>>;
}

/**
 * What all checks share. It never changes, except for what it collects: `sent`, `names`, `observer`, `secrets` and
 * `leftovers`.
 */
export type Run = Readonly<ReturnType<typeof createRun>>;

/** Creates a run with the defaults, until `prepare` replaces them. The invariants do not check responses to its calls. */
export function createRun(settings: Settings, signal: AbortSignal, invariants: Invariants) {
  const { timeoutMs: timeout, rate, onNotice, requestForm = 'top', wireProfile } = settings;
  const accepted: Accepted = { requestForm, copyPaths: wireProfile.copyPaths, missing: {} };
  const pace = new Pace(
    (pause) => onNotice(`the target is rate-limiting; waiting ${Math.ceil(pause / 1000)} s`),
    rate,
  );
  const sent = { calls: 0 };
  const onSent = () => {
    sent.calls += 1;
  };
  const agents = createAgents(settings);
  return {
    ...accepted,
    settings,
    signal,
    /** Random part of every name that the run generates, so that it never touches real data. */
    id: randomBytes(4).toString('hex'),
    pace,
    caller: new Caller({ agents, pace, signal, timeout, onSent, onExchange: () => {} }),
    sent,
    observer: new Observer(settings, invariants),
    signers: createSigners(settings),
    secrets: createRedactor(settings),
    /** The paths where something may be stored, with the file ID if it is known, for the clean-up. */
    leftovers: new Map<string, string | undefined>(),
    /** How many names the run has made, so that each has a number of its own. */
    names: { count: 0 },
  };
}

/** Returns the same run, but with other options for its calls. */
export function withCaller(run: Run, changed: Partial<CallerOptions>): Run {
  const { signal = run.signal, pace = run.pace } = changed;
  return { ...run, signal, pace, caller: run.caller.with(changed) };
}
