import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The runtime of Cloudflare's Workers. */
export interface Workerd {
  /** Path of its program. */
  readonly command: string;
  /** The newest behaviour that it has. */
  readonly compatibilityDate: string;
}

/** Finds the runtime of Workers lazily, since its package cannot be loaded on unsupported platforms. */
export function findWorkerd(): Workerd {
  const { default: command, compatibilityDate } = require('workerd');
  return { command, compatibilityDate };
}
