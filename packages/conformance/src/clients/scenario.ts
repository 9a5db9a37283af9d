import { isDeepStrictEqual } from 'node:util';
import type { ClientRuleId } from '../generated/rule-ids.gen.ts';
import type { Place, Received, Script, ServerName } from './deployment.ts';
import { cut, type Task, type TaskError, type TaskReply } from './driver.ts';

/** A task for a client, how the deployment responds, and what is checked afterwards. */
export interface Scenario {
  rule: ClientRuleId;
  /** What it is about, as the start of a message. */
  about: string;
  task: Task;
  script: Script;
  /** Returns what is wrong. */
  check(seen: Seen): Problems;
}

/** A violation of a rule: a message, and the request that shows it. */
export type Problem = string | { message: string; request: Received | undefined };

export type Problems = Problem | undefined | readonly Problems[];

/** A problem with a request, if there is a message. */
export function at(
  request: Received | undefined,
  message: string | undefined | false,
): Problem | undefined {
  return message ? { message, request } : undefined;
}

export function listProblems(found: Problems): Problem[] {
  if (found === undefined) return [];
  return Array.isArray(found) ? found.flatMap(listProblems) : [found as Problem];
}

/** What a scenario has seen: the requests, and what the driver reported. */
export interface Seen extends Record<ServerName, readonly Received[]> {
  /** All requests, in order. */
  all: readonly Received[];
  place: Place;
  result: Readonly<Record<string, unknown>> | undefined;
  error: TaskError | undefined;
}

/** Creates a scenario, whose deployment responds as in the contract unless a script says otherwise. */
export function scenario(rule: ClientRuleId, about: string, task: Task, script: Script = {}) {
  return { expect: (check: Scenario['check']): Scenario => ({ rule, about, task, script, check }) };
}

export const SERVICE = 'hello';

type Auth = 'bearer' | 'key';

export function get(path: string, auth: Auth = 'bearer'): Task {
  return { task: 'call', method: 'GET', service: SERVICE, path, auth };
}

export function post(path: string, body: unknown, auth: Auth = 'bearer'): Task {
  return { task: 'call', method: 'POST', service: SERVICE, path, body, auth };
}

export function toFileId(path: string): string {
  return `cloud://dev.files/${path}`;
}

/** Tasks for a single file. */
export const UPLOAD: Task = { task: 'upload', path: 'a.txt', content: 'QQ==' };
export const LINKS: Task = { task: 'links', fileIDs: [toFileId('a.txt')] };
export const DELETE: Task = { task: 'delete', fileIDs: [toFileId('a.txt')] };
export const COPY: Task = { task: 'copy', files: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] };
export const MOVE: Task = { ...COPY, task: 'move' };

/** Groups what was seen by server. */
export function toSeen(all: readonly Received[], reply: TaskReply, place: Place): Seen {
  const of = (name: ServerName) => all.filter(({ server }) => server === name);
  return {
    ...{ gateway: of('gateway'), storage: of('storage') },
    ...{ files: of('files'), elsewhere: of('elsewhere') },
    ...{ all, place, result: reply.result, error: reply.error },
  };
}

/** A problem if the client reported an error. */
export function succeeds({ error }: Seen): Problems {
  return error && `the client reported an error: ${show(error)}`;
}

/** A problem if the client reported a success. */
export function fails({ result }: Seen): Problems {
  return result && `the client reported a success: ${show(result)}`;
}

/** A problem if the client reported a success, or an error with other values. */
export function failsWith(seen: Seen, expected: Partial<TaskError>): Problems {
  const { error } = seen;
  if (error === undefined) return fails(seen);
  return Object.entries(expected).map(([name, value]) => {
    const own = error[name as keyof TaskError];
    return own === value
      ? undefined
      : `the error must have the ${name} ${show(value)}, got ${show(own)}`;
  });
}

/** A problem if a value differs. */
export function equals(what: string, value: unknown, expected: unknown): Problems {
  if (isDeepStrictEqual(value, expected)) return undefined;
  return `${what} must be ${show(expected)}, got ${show(value)}`;
}

/** A problem if a request was not sent, or more than once. */
export function once(what: string, requests: readonly Received[]): Problems {
  const [first, second] = requests;
  if (first === undefined) return `${what} was not sent`;
  return at(second, second && `${what} was sent ${requests.length} times`);
}

/** Timers may fire early, and requests arrive later than they were sent, in milliseconds. */
const TOLERANCE = 50;

/** A problem if the second request was sent earlier than this many milliseconds after the first. */
export function waits(who: string, [first, second]: readonly Received[], wanted: number): Problems {
  if (first === undefined) return 'the request was not sent';
  const waited = Math.round((second?.at ?? Number.POSITIVE_INFINITY) - first.at);
  return at(second, waited < wanted - TOLERANCE && `${who} again after ${waited} ms`);
}

/** Returns the results of the single files, as a driver reports them. */
export function filesOf({ result }: Seen): readonly { url?: unknown; error?: TaskError }[] {
  return Array.isArray(result?.files) ? result.files.map((file) => Object(file)) : [];
}

export function show(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'nothing');
}
