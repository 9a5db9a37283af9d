import { checkExchange } from '../../../conformance/src/document/check-exchange.ts';
import type { Operation } from '../../../conformance/src/document/plan.ts';
import { toReceived } from '../../../conformance/src/http/exchange.ts';
import type { Served } from '../mock-servers.ts';
import type { Subject } from './documents.ts';
import { type Fault, listFaults } from './faults.ts';
import type { Sample } from './requests.ts';
import { listSamples } from './requests.ts';
import { ACCEPTED, MOCKS, VALIDATORS } from './servers.ts';
import { type FaultyServer, startFaulty } from './start-faulty.ts';
import { SUITES } from './suites.ts';

export type MockId = keyof typeof MOCKS;
export type ValidatorId = keyof typeof VALIDATORS;
export type SuiteId = keyof typeof SUITES;

interface MockFigures {
  /** Requests that the mock accepted or rejected as Ajv does. */
  readonly right: number;
  /** Valid requests that got a documented and valid success. */
  readonly valid: number;
}

interface SuiteFigures {
  /** What the suite reports about the correct server; `undefined` if it does not accept the document. */
  readonly alarms: number | undefined;
  /** The faults that it found, as `group: kind`. */
  readonly found: readonly string[];
}

/** What was measured with one document. */
export interface Figures {
  readonly operations: number;
  readonly requests: { readonly all: number; readonly mocks: number; readonly mocksValid: number };
  readonly mocks: Readonly<Partial<Record<MockId, MockFigures>>>;
  readonly validators: Readonly<Record<ValidatorId, number>>;
  readonly faults: readonly string[];
  readonly suites: Readonly<Record<SuiteId, SuiteFigures>>;
}

/** What to leave out. */
export interface Scope {
  readonly mocks?: readonly MockId[];
  /** The number of faults. */
  readonly faults: number;
}

/** Gives every tool the same requests, and every suite the same servers. */
export async function measure(
  subject: Subject,
  { mocks = Object.keys(MOCKS) as MockId[], faults }: Scope,
): Promise<Figures> {
  const samples = await listSamples(subject);
  // In other operations, a rejection looks like a documented error.
  const mocked = samples.filter(({ operation }) => hasSuccess(operation));
  const figures: Partial<Record<MockId, MockFigures>> = {};
  for (const id of mocks)
    figures[id] = await measureMock(subject, mocked, await MOCKS[id](subject));
  const validators = {} as Record<ValidatorId, number>;
  for (const id of Object.keys(VALIDATORS) as ValidatorId[]) {
    validators[id] = await measureValidator(samples, await VALIDATORS[id](subject));
  }
  return {
    operations: subject.operations.length,
    requests: {
      all: samples.length,
      mocks: mocked.length,
      mocksValid: mocked.filter(isValid).length,
    },
    mocks: figures,
    validators,
    ...(await measureSuites(subject, samples, faults)),
  };
}

function hasSuccess({ responses }: Operation): boolean {
  return responses.some(({ status }) => /^2|default/.test(status));
}

const isValid = ({ breaks }: Sample) => breaks === undefined;

async function measureMock(
  { document }: Subject,
  samples: readonly Sample[],
  { send, close }: Served,
): Promise<MockFigures> {
  let [right, valid] = [0, 0];
  for (const sample of samples) {
    const { target, init, operation } = sample;
    const response = await send(target, init);
    const body = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    if (status < 400 === isValid(sample)) right += 1;
    if (!isValid(sample) || status >= 400) continue;
    const received = toReceived(status, [...response.headers], body);
    const sent = { method: String(init.method), url: target, headers: [], body };
    const findings = checkExchange(document, operation, { sent, received }, undefined);
    if (findings.every(({ message }) => message === undefined)) valid += 1;
  }
  await close();
  return { right, valid };
}

async function measureValidator(
  samples: readonly Sample[],
  { send, close }: Served,
): Promise<number> {
  let right = 0;
  for (const sample of samples) {
    const response = await send(sample.target, sample.init);
    await response.arrayBuffer();
    const { status } = response;
    const isRejected = status >= 400 && status < 500;
    if (isValid(sample) ? status === ACCEPTED : isRejected) right += 1;
  }
  await close();
  return right;
}

async function measureSuites(subject: Subject, samples: readonly Sample[], most: number) {
  const all = most > 0 ? listFaults(subject) : [];
  const step = Math.max(1, all.length / most);
  const chosen = Array.from({ length: Math.min(most, all.length) }, (_, at) =>
    all.at(Math.floor(at * step)),
  ).filter((fault) => fault !== undefined);
  const name = ({ group, kind }: Fault) => `${group}: ${kind}`;
  const figures: Record<SuiteId, SuiteFigures> = {
    dredd: { alarms: undefined, found: [] },
    berth: { alarms: undefined, found: [] },
  };
  if (chosen.length === 0) return { faults: [], suites: figures };
  const server = await startFaulty(subject, samples);
  const faults: Fault[] = [];
  for (const fault of chosen) if (await isEffective(fault, samples, server)) faults.push(fault);
  for (const id of ['dredd', 'berth'] as const) {
    await server.reset();
    const sound = await SUITES[id](subject, server.url);
    if (sound === undefined) continue;
    const found: string[] = [];
    for (const fault of faults) {
      await server.reset(fault);
      const failed = await SUITES[id](subject, server.url);
      if (failed?.some((each) => !sound.includes(each))) found.push(name(fault));
    }
    figures[id] = { alarms: sound.length, found };
  }
  await server.close();
  return { faults: faults.map(name), suites: figures };
}

/** Whether a fault changes any response to the requests of its operation. */
async function isEffective(
  fault: Fault,
  samples: readonly Sample[],
  server: FaultyServer,
): Promise<boolean> {
  if (fault.group === 'sequences') return true;
  await server.reset(fault);
  for (const { operation, target, init } of samples) {
    if (operation !== fault.operation) continue;
    await (await fetch(server.url + target, init)).arrayBuffer();
    if (server.changed > 0) return true;
  }
  return false;
}
