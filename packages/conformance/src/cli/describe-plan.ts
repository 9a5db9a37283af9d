import type { Planned } from '../plan/plan.ts';
import { isChosen } from './is-chosen.ts';

const numbers = new Intl.NumberFormat('en');

/** `--dry-run`: what would be sent, as lines or as one JSON text. */
export function describePlan(plan: readonly Planned[], json: boolean): string[] {
  const made = plan.filter(({ reason }) => reason === undefined);
  const sum = (what: 'requests' | 'bytes') =>
    made.reduce((total, planned) => total + (planned[what] ?? 0), 0);
  const total = { checks: made.length, requests: sum('requests'), bytes: sum('bytes') };
  if (json) return [JSON.stringify({ ...total, plan }, null, 2)];
  const shown = plan.filter(({ reason }) => !isChosen(reason));
  const width = Math.max(0, ...shown.map(({ id }) => id.length));
  const unmeasured = made.filter(({ requests }) => requests === undefined).length;
  return [
    ...shown.map((planned) => `${planned.id.padEnd(width)}  ${describe(planned)}`),
    `${total.checks} checks of ${plan.length} would send about ${count(total.requests, 'request')} with ${count(total.bytes, 'byte')}, as measured on the reference server.`,
    ...(unmeasured > 0 ? [`${unmeasured} of them have not been measured.`] : []),
    'Before and after them come a few calls that find the targets and remove what was stored.',
  ];
}

function describe({ requests, bytes, reason }: Planned): string {
  if (reason !== undefined) return `not made: ${reason}`;
  if (requests === undefined || bytes === undefined) return 'not measured';
  return `${count(requests, 'request')}, ${count(bytes, 'byte')}`;
}

function count(amount: number, what: string): string {
  return `${numbers.format(amount)} ${what}${amount === 1 ? '' : 's'}`;
}
