import { randomBytes } from 'node:crypto';
import type { Api } from '../contract/openapi.ts';
import {
  createSigners,
  type GatewayScheme,
  type Signer,
  type Signers,
} from '../credentials/create-signers.ts';
import { createRedactor, listSecrets, toIndex } from '../credentials/redact.ts';
import { type Agents, createAgents } from '../http/agents.ts';
import { Caller, type CallerOptions } from '../http/caller.ts';
import { createHealth, type Health, NetworkFault } from '../http/health.ts';
import { createPace, type Pace } from '../http/pace.ts';
import { within } from '../http/start-timer.ts';
import type { RequestForm, Settings } from '../options.ts';

/** What a run has stored, so that it can be removed. */
interface Leftovers {
  /** Notes a path before something is stored there, with its file ID where that is known. */
  add(path: string, fileId?: string): void;
  list(): { path: string; fileId: string | undefined }[];
}

function createLeftovers(): Leftovers {
  const paths = new Map<string, string | undefined>();
  return {
    add: (path, fileId) => void paths.set(path, fileId ?? paths.get(path)),
    list: () => [...paths].map(([path, fileId]) => ({ path, fileId })),
  };
}

/** The secrets of a run, which grow while it goes on. */
interface RunSecrets {
  /** Adds the credentials that an upload grant hands out: who has them can write. */
  addGrant(data: Record<string, unknown> | undefined): void;
  /** Adds the headers that a signer of the operator's own has made, which are secrets by name, too. */
  addHeaders(headers: Iterable<readonly [name: string, value: string]>): void;
  add(value: string): void;
  /** Blanks all of them in every string of a value. */
  redact<T>(value: T): T;
}

const MOST_VALUES = 20_000;

function createRunSecrets(settings: Settings): RunSecrets {
  const all = listSecrets(settings);
  const values = new Set(all.values);
  const index = toIndex(all.values);
  const add = (value: string) => {
    if (values.size >= MOST_VALUES || values.has(value)) return;
    values.add(value);
    index.add(value);
  };
  return {
    add,
    addGrant({ token, authorization } = {}) {
      for (const value of [token, authorization]) if (typeof value === 'string') add(value);
    },
    addHeaders(headers) {
      for (const [name, value] of headers) {
        const key = name.toLowerCase();
        if (!all.headers.includes(key)) all.headers.push(key);
        add(value);
      }
    },
    redact: createRedactor(all, index),
  };
}

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

/** What a run begins with; nothing has been called. */
export function createRun(settings: Settings, signal: AbortSignal): Run {
  const secrets = createRunSecrets(settings);
  return {
    settings,
    signal,
    mark: randomBytes(4).toString('hex'),
    agents: createAgents(settings),
    pace: createPace((pause) =>
      settings.onNotice(`the target asks to slow down; waiting ${Math.ceil(pause / 1000)} s`),
    ),
    health: createHealth(),
    signers: withSecrets(createSigners(settings), settings, secrets),
    secrets,
    leftovers: createLeftovers(),
    requestForm: settings.requestForm ?? 'top',
    refused: {},
    fixture: 'the fixture service was not looked for',
  };
}

/**
 * Signers of the operator's own: what they make is known only once they have made it, and they may take
 * no longer than a call.
 */
function withSecrets(
  { gateway, storage }: Signers,
  { auth, timeout }: Settings,
  secrets: RunSecrets,
): Signers {
  const watch =
    (signer: Signer): Signer =>
    async (call) => {
      const late = new NetworkFault(`--auth-module: no headers within ${timeout} ms`, 'TIMEOUT');
      const headers = await within(timeout, signer(call), late);
      secrets.addHeaders(headers);
      return headers;
    };
  return {
    gateway: gateway.module ? { ...gateway, module: watch(gateway.module) } : gateway,
    ...(storage ? { storage: auth?.storage ? watch(storage) : storage } : {}),
  };
}

/** Calls with the agents, the pace and the timeout of a run. */
export function createRunCaller(
  { agents, pace, health, signal, settings }: Run,
  listeners: Pick<CallerOptions, 'onSent' | 'onAnswer'> = {},
): Caller {
  return new Caller({ agents, pace, health, signal, timeout: settings.timeout, ...listeners });
}
