import { RANGES } from '../../options.ts';
import type { OptionGroup } from './option-spec.ts';

/** How the targets are called. */
export const connection = {
  ca: {
    kind: 'text',
    value: '<file>',
    isFile: true,
    about: 'certificates (PEM) of the authorities to trust instead of the usual ones',
  },
  insecure: {
    kind: 'flag',
    about: 'take any certificate; anyone on the way can read the credentials',
  },
  proxy: { kind: 'text', value: '<url>', isSecret: true, about: 'HTTP proxy' },
  timeout: {
    kind: 'whole',
    value: '<ms>',
    range: RANGES.timeout,
    about: 'longest wait for one answer, in milliseconds',
    usual: String(RANGES.timeout.usual),
  },
  budget: {
    kind: 'whole',
    value: '<s>',
    range: RANGES.budget,
    about: 'longest run, in seconds; what is left then is skipped',
    usual: String(RANGES.budget.usual),
  },
  concurrency: {
    kind: 'whole',
    value: '<number>',
    range: RANGES.concurrency,
    about: 'checks made at the same time',
    usual: '8, or 32 if a call takes 100 ms',
  },
} as const satisfies OptionGroup;
