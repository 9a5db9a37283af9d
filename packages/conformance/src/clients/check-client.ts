import { whyLeftOut } from '../context/skip-reason.ts';
import { clientRules, currentRules, type Rule } from '../contract/rules.ts';
import type { SentRequest } from '../http/exchange.ts';
import type { ConformanceOptions, KnownFailure, WireProfile } from '../options.ts';
import { isKnown, listAccepted } from '../report/compare.ts';
import { quote } from '../report/to-curl.ts';
import { type Report, toVerdict } from '../report/to-report.ts';
import { createResult, type Finding, type Result, StartError } from '../result.ts';
import type { Place, Received } from './deployment.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { createDriver, cut, type Driver, DriverFailure, ProtocolError } from './driver.ts';
import { listProblems, type Problem, type Scenario, toSeen } from './scenario.ts';
import { credentials } from './scenarios/credentials.ts';
import { events } from './scenarios/events.ts';
import { files } from './scenarios/files.ts';
import { bodies, paths } from './scenarios/requests.ts';
import { results, retries } from './scenarios/results.ts';

const scenarios = [paths, credentials, bodies, files, retries, events, results].flat();

/** Options for a check of a client. They mean the same as those of a check of a deployment. */
export interface ClientOptions
  extends Pick<ConformanceOptions, 'only' | 'skip' | 'level' | 'bail' | 'signal' | 'onResult'> {
  /** The program that starts the driver, and its arguments. */
  command: readonly string[];
  wireProfile: WireProfile;
  baseline?: readonly KnownFailure[];
  /** How long a task may take, in milliseconds. */
  timeout: number;
  /** The environment of the command, to which the addresses and credentials are added. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Checks a client: starts a deployment whose responses are scripted, and the command as the driver of the
 * client. Each rule has one result, in contract order.
 *
 * @throws StartError if the command does not work as a driver
 */
export async function checkClient(options: ClientOptions): Promise<Report> {
  const { command, signal = new AbortController().signal, bail, timeout } = options;
  const started = new Date();
  const baseline = options.baseline ?? [];
  const accepted = listAccepted(baseline, started);
  const deployment = await startDeployment(options.wireProfile);
  const env = { ...options.env, ...toVariables(deployment.place) };
  const driver = createDriver(command, env, signal);
  const all: Result[] = [];
  let ended: string | undefined;
  try {
    for (const rule of clientRules) {
      if (signal.aborted) ended = 'the run was interrupted';
      const disabled = whyLeftOut(rule, options);
      const run = () => runRule(rule, { deployment, driver, timeout, command, signal });
      const result = disabled
        ? toResult(rule, { outcome: 'disabled', reason: disabled })
        : ended
          ? toResult(rule, { outcome: 'skip', reason: ended })
          : await run();
      all.push(result);
      options.onResult?.(result);
      if (bail && result.outcome === 'fail' && !isKnown(result, accepted)) {
        ended = `--bail: ${rule.id} failed`;
      }
    }
  } finally {
    await driver.close();
    await deployment.close();
  }
  const { version } = currentRules;
  return {
    targets: [
      { api: 'client', url: toCommandLine(command), contract: 'the rules for clients', version },
    ],
    rules: version,
    startedAt: started.toISOString(),
    durationMs: Date.now() - started.getTime(),
    declared: [],
    leftovers: [],
    ...toVerdict(all, baseline, started),
    results: all,
  };
}

/** The environment variables that a driver reads, the same as those of the `berth` command. */
function toVariables(place: Place): Record<string, string> {
  return {
    BERTH_GATEWAY_URL: place.gateway,
    BERTH_STORAGE_URL: place.storage,
    BERTH_ENV: place.env,
    BERTH_TOKEN: place.token,
    BERTH_SECRET_ID: place.secretId,
    BERTH_SECRET_KEY: place.secretKey,
    BERTH_SESSION_TOKEN: place.sessionToken,
  };
}

interface Context {
  deployment: Deployment;
  driver: Driver;
  timeout: number;
  command: readonly string[];
  signal: AbortSignal;
}

async function runRule(rule: Rule, context: Context): Promise<Result> {
  const own = scenarios.filter((scenario) => scenario.rule === rule.id);
  const started = performance.now();
  const findings: Finding[] = [];
  const unsupported = new Set<string>();
  const counts = { requests: 0, bytes: 0, assertions: own.length };
  let ending: Pick<Result, 'outcome' | 'reason'> = { outcome: 'pass' };
  for (const scenario of own) {
    const received = context.deployment.play(scenario.script);
    try {
      const reply = await context.driver.send(scenario.task, context.timeout);
      if (reply.unsupported) unsupported.add(scenario.task.task);
      else {
        const reported = `reported ${cut(JSON.stringify(reply))}`;
        const seen = toSeen([...received], reply, context.deployment.place);
        for (const problem of listProblems(scenario.check(seen))) {
          findings.push(toFinding(scenario, problem, reported, received, context.command));
        }
      }
    } catch (error) {
      if (error instanceof StartError && !context.signal.aborted) throw error;
      const { message, stack } = error as Error;
      if (!(error instanceof DriverFailure) || context.signal.aborted) {
        ending = context.signal.aborted
          ? { outcome: 'skip', reason: 'the run was interrupted' }
          : error instanceof ProtocolError
            ? { outcome: 'error', reason: `${scenario.about}: ${message}` }
            : { outcome: 'error', reason: `bug in the suite: ${stack}` };
        break;
      }
      const problem = `the driver failed: ${message}`;
      findings.push(toFinding(scenario, problem, undefined, received, context.command));
    }
    counts.requests += received.length;
    counts.bytes += received.reduce((sum, { body }) => sum + body.length, 0);
  }
  const missing = `the driver does not support ${[...unsupported].join(', ')}`;
  const isUnreached = own.every(({ task }) => unsupported.has(task.task));
  if (ending.outcome === 'pass' && isUnreached) ending = { outcome: 'skip', reason: missing };
  const notes = unsupported.size > 0 && !isUnreached ? [missing] : [];
  const durationMs = Math.round(performance.now() - started);
  const outcome = findings.length > 0 ? 'fail' : ending.outcome;
  return toResult(rule, { ...ending, outcome, findings, notes, ...counts, durationMs });
}

function toResult(
  { id, level, statement, operations }: Rule,
  result: Pick<Result, 'outcome'> & Partial<Result>,
): Result {
  const subject = { id, level, statement, rules: [id], operations: [...operations] };
  return createResult({ engine: 'client', ...subject, ...result });
}

function toFinding(
  { rule, about, task }: Scenario,
  problem: Problem,
  reported: string | undefined,
  received: readonly Received[],
  command: readonly string[],
): Finding {
  const { message, request = received[0] } =
    typeof problem === 'string' ? { message: problem } : problem;
  return {
    message: `${about}: ${message}`,
    where: [`task ${cut(JSON.stringify(task))}`, reported].filter(Boolean).join(', '),
    ...(request && { request: toSent(request) }),
    script: `berth-conformance client --only ${rule} -- ${toCommandLine(command)}`,
  };
}

/** The request for a report. The credentials in it are made for the run, so they are shown. */
function toSent({ method, origin, target, headers, body }: Received): SentRequest {
  const text = cut(body.toString(), 2_000);
  return { method, url: origin + target, headers: Object.fromEntries(headers), body: text };
}

/** Formats a command for a shell. */
export function toCommandLine(command: readonly string[]): string {
  return command.map((word) => (/^[\w./:@=-]+$/.test(word) ? word : quote(word))).join(' ');
}
