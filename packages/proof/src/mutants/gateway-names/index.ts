import type { Mutant } from '../mutant.ts';
import { gwNameAccepted } from './gw-name-accepted.ts';
import { gwNameAcceptedLong } from './gw-name-accepted-long.ts';
import { gwNameLength } from './gw-name-length.ts';
import { gwNameLengthPage } from './gw-name-length-page.ts';
import { gwNamePattern } from './gw-name-pattern.ts';
import { gwNamePatternGenerated } from './gw-name-pattern-generated.ts';

export const gatewayNames: readonly Mutant[] = [
  gwNameAccepted,
  gwNameAcceptedLong,
  gwNameLength,
  gwNameLengthPage,
  gwNamePattern,
  gwNamePatternGenerated,
];
