import { join } from 'node:path';
import { writeGenerated } from '../../spec/generate/write.ts';
import { toCommands } from './to-commands.ts';
import { toConfiguration } from './to-configuration.ts';

const REFERENCE = join(import.meta.dirname, '../reference');
const SCRIPT = 'docs/scripts/generate.ts';

// The other pages of the reference are derived from the contract by `spec/generate.ts`.
await writeGenerated(join(REFERENCE, 'configuration.md'), toConfiguration(), SCRIPT);
await writeGenerated(join(REFERENCE, 'commands.md'), toCommands(), SCRIPT);
