import { join } from 'node:path';
import { writeGenerated } from '../../spec/generate/write.ts';
import { toConfiguration } from './to-configuration.ts';

// The other pages of the reference are derived from the contract by `spec/generate.ts`.
await writeGenerated(
  join(import.meta.dirname, '../reference/configuration.md'),
  toConfiguration(),
  'docs/scripts/generate.ts',
);
