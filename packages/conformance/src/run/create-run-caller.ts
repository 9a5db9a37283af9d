import { type Caller, type CallerOptions, createCaller } from '../http/caller.ts';
import type { Run } from './run.ts';

/** Calls with the agents, the pace and the timeout of a run. */
export function createRunCaller(run: Run, onSent?: CallerOptions['onSent']): Caller {
  const { agents, pace, health, signal, settings } = run;
  return createCaller({
    ...{ agents, pace, health, signal, timeout: settings.timeout },
    ...(onSent ? { onSent } : {}),
  });
}
