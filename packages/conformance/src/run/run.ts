import { randomBytes } from 'node:crypto';
import type { Api } from '../contract/openapi.ts';
import type { SkipError } from '../errors.ts';
import { Caller } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import { Pace } from '../http/pace.ts';
import { createSigners, type GatewayScheme, type Signers } from '../http/sign.ts';
import { UNUSED_PREFIX } from '../invariants/invariant.ts';
import { Observer } from '../invariants/observer.ts';
import { type CopyPaths, createRedactor, type RequestForm, type Settings } from '../options.ts';
import type { Redactor } from '../results/redact.ts';

/** What `prepare` finds out about the deployment. */
export interface Deployment {
  readonly requestForm: RequestForm;
  readonly copyPaths: CopyPaths;
  readonly gatewayScheme?: GatewayScheme | undefined;
  /** What cannot be checked, and why: without the fixture service or WebSockets, or of an API that rejects every call. */
  readonly unavailable: Readonly<Partial<Record<Api | 'fixture' | 'webSocket', SkipError>>>;
}

/** What all checks share. */
export class Run {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** Random part of every name that the run generates, so that it never touches real data. */
  readonly id = randomBytes(4).toString('hex');
  readonly folder = `berth-conformance/${this.id}`;
  readonly pace: Pace;
  readonly caller: Caller;
  readonly signers: Signers;
  readonly observer: Observer;
  readonly secrets: Redactor;
  /** The paths where something may be stored, with the file ID if it is known, for the clean-up. */
  readonly leftovers = new Map<string, string | undefined>();
  /** Those of them where the deployment has acknowledged a file. */
  readonly acknowledged = new Set<string>();
  /** The defaults, until `prepare` has found out more. */
  deployment: Deployment;
  /** While `prepare` makes its calls, the invariants do not check the responses. */
  state: 'preparing' | 'checking' = 'preparing';
  calls = 0;
  #names = 0;

  constructor(settings: Settings, signal: AbortSignal) {
    const { timeoutMs: timeout, rate, onNotice, requestForm = 'top', wireProfile } = settings;
    this.settings = settings;
    this.signal = signal;
    this.deployment = { requestForm, copyPaths: wireProfile.copyPaths, unavailable: {} };
    this.pace = new Pace(
      (pause) => onNotice(`the target is rate-limiting; waiting ${Math.ceil(pause / 1000)} s`),
      rate,
    );
    this.caller = new Caller({
      agents: createAgents(settings),
      pace: this.pace,
      signal,
      timeout,
      onSent: () => {
        this.calls += 1;
      },
      onExchange: (exchange) => {
        if (this.state === 'checking') this.observer.observe(exchange);
      },
    });
    this.signers = createSigners(settings);
    this.observer = new Observer(settings);
    this.secrets = createRedactor(settings);
  }

  /** Returns a name that nothing else in this or another run has, and that a service may have: `berth-5f3a91c2-17`. */
  uniqueName(): string {
    this.#names += 1;
    return `${UNUSED_PREFIX}${this.id}-${this.#names}`;
  }

  newFolder(topic: string): string {
    this.#names += 1;
    return `${this.folder}/${topic}-${this.#names}`;
  }
}
