import { isDeepStrictEqual } from 'node:util';
import type { ClientRuleId } from '../generated/rule-ids.gen.ts';
import type { Script } from './deployment.ts';
import { cut, type Task, type TaskError, type TaskReply } from './protocol.ts';
import type { Place, Received, ServerName } from './replies.ts';

/** A task for a client, how the deployment responds, and what is checked afterwards. */
export interface Scenario {
  rule: ClientRuleId;
  /** What it is about, as the start of a message. */
  about: string;
  task: Task;
  script: Script;
  /** Yields what is wrong. */
  check(seen: Seen): Iterable<Problem>;
}

/** A violation of a rule: a message, and the request that shows it. */
export type Problem = string | { message: string; request: Received | undefined };

/** What a scenario has seen: the requests, and what the driver reported. */
export interface Seen extends Record<ServerName, readonly Received[]> {
  /** All requests, in order. */
  all: readonly Received[];
  place: Place;
  result: Readonly<Record<string, unknown>> | undefined;
  error: TaskError | undefined;
}

/** Creates a scenario. */
export function scenario(
  rule: ClientRuleId,
  about: string,
  task: Task,
  script: Script,
  check: Scenario['check'],
): Scenario {
  return { rule, about, task, script, check };
}

/** The service that tasks call. */
export const SERVICE = 'hello';

/** Returns the task of a GET. */
export function get(path: string, auth: 'bearer' | 'key' = 'bearer'): Task {
  return { task: 'call', method: 'GET', service: SERVICE, path, auth };
}

/** Returns the task of a POST. */
export function post(path: string, body: unknown, auth: 'bearer' | 'key' = 'bearer'): Task {
  return { task: 'call', method: 'POST', service: SERVICE, path, body, auth };
}

/** Returns the file ID that a path has in the deployment. */
export function toFileId(path: string): string {
  return `cloud://dev.files/${path}`;
}

/** Groups what was seen by server. */
export function toSeen(all: readonly Received[], reply: TaskReply, place: Place): Seen {
  const of = (name: ServerName) => all.filter(({ server }) => server === name);
  return {
    ...{ gateway: of('gateway'), storage: of('storage') },
    ...{ files: of('files'), elsewhere: of('elsewhere') },
    ...{ all, place, result: reply.result, error: reply.error },
  };
}

/** Yields a problem if the client reported an error. */
export function* succeeds({ error }: Seen): Iterable<Problem> {
  if (error !== undefined) yield `the client reported an error: ${show(error)}`;
}

/** Yields a problem if the client reported a success. */
export function* fails({ result }: Seen): Iterable<Problem> {
  if (result !== undefined) yield `the client reported a success: ${show(result)}`;
}

/** Yields a problem if the client reported a success, or an error with other values. */
export function* failsWith(seen: Seen, expected: Partial<TaskError>): Iterable<Problem> {
  yield* fails(seen);
  const { error } = seen;
  if (error === undefined) return;
  for (const [name, value] of Object.entries(expected)) {
    const own = error[name as keyof TaskError];
    if (own === value) continue;
    yield `the error must have the ${name} ${show(value)}, got ${show(own)}`;
  }
}

/** Yields a problem if a value differs. */
export function* equals(what: string, value: unknown, expected: unknown): Iterable<Problem> {
  if (isDeepStrictEqual(value, expected)) return;
  yield `${what} must be ${show(expected)}, got ${show(value)}`;
}

/** Yields a problem if a server received no request, or more than one. */
export function* once(what: string, requests: readonly Received[]): Iterable<Problem> {
  if (requests.length === 0) yield `${what} was not sent`;
  if (requests.length > 1) {
    yield { message: `${what} was sent ${requests.length} times`, request: requests[1] };
  }
}

/** Returns the results of the single files, as a driver reports them. */
export function filesOf({ result }: Seen): readonly { url?: unknown; error?: TaskError }[] {
  return Array.isArray(result?.files) ? result.files.map((file) => Object(file)) : [];
}

/** Formats a value for a message. */
export function show(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'nothing');
}
