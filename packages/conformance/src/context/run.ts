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

/** The folder for all files that runs store; emptied at the end. */
export const FOLDER = 'berth-conformance';

/** What a run has from its start. */
export type Resources = Readonly<ReturnType<typeof createResources>>;

/** What `prepare` finds out. */
export interface Accepted {
  readonly requestForm: RequestForm;
  readonly copyPaths: CopyPaths;
  readonly gatewayScheme?: GatewayScheme | undefined;
  /** What the deployment lacks: the fixture service, responses to WebSocket handshakes, or an API that accepts calls. */
  readonly missing: Readonly<Partial<Record<'fixture' | 'webSocket' | Api, NotRun | undefined>>>;
}

/** What all checks share. It never changes, except for what it collects: `sent`, `contexts`, `secrets`, `leftovers`. */
export type Run = Resources & Accepted;

export function createResources(settings: Settings, signal: AbortSignal, invariants: Invariants) {
  const { timeoutMs: timeout, rate, onNotice } = settings;
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
    /** How many contexts have been created: a sentence may have several checks. */
    contexts: { count: 0 },
  };
}

/** Creates a run for calls whose responses the invariants do not check. */
export function createRun(resources: Resources, accepted: Accepted): Run {
  return { ...resources, ...accepted };
}

/** Creates the run that the checks use: the invariants check the responses to all its calls. */
export function createObservedRun(resources: Resources, accepted: Accepted): Run {
  const { observer } = resources;
  return withCaller(createRun(resources, accepted), {
    onExchange: (exchange) => observer.observe(exchange),
  });
}

/** Returns the same run, but with other options for its calls. */
export function withCaller(run: Run, changed: Partial<CallerOptions>): Run {
  const { signal = run.signal, pace = run.pace } = changed;
  return { ...run, signal, pace, caller: run.caller.with(changed) };
}
