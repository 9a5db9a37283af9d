import { createInstance } from './prism.ts';

type Prism = ReturnType<typeof createInstance>;

/** Discards Prism's logs, which cover every step. */
const silentLogger = {
  child: () => silentLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  success() {},
};

/**
 * Creates a Prism instance. It checks no credentials: the contract's surfaces do, with their own error codes.
 *
 * @param components replace Prism's own
 */
export function createPrism(components: Partial<Parameters<typeof createInstance>[1]> = {}): Prism {
  return createInstance(
    {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    { logger: silentLogger as never, ...components },
  );
}
